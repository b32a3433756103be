// cluster_memory: how much memory a program has in its tile, and whether what it needs at its start fits there.
//
//   In a cluster what it may write lies in the scratchpad, from its first writable page on; what it may only read or
//   execute, which linkers put before that, lies in the image memory, which is as fast.
//
// Errors    elf_error: what does not fit, how large it is, and how large it may be.
#pragma once

#include <cstdint>
#include <string>

#include "machine/config/description.hpp"
#include "machine/linux/elf.hpp"

namespace tess::machine {

/// Bytes of the local window that the program has, from address 0 on.
[[nodiscard]] std::uint64_t program_memory_bytes(machine_description const& description, elf_image const& image,
                                                 std::string const& name);

}  // namespace tess::machine
