// cluster_memory: how much memory a program has in its tile, and whether its initial data fits.
//
//   In a cluster everything from the first writable page on is in the scratchpad. Read-only and executable pages, which
//   linkers put before that, are in the image memory, which is as fast.
//
// Errors    elf_error says which part does not fit, its size, and the limit.
#pragma once

#include <cstdint>
#include <string>

#include "machine/config/description.hpp"
#include "machine/linux/elf.hpp"

namespace tess::machine {

/// Bytes of the program's local window, from address 0 on.
[[nodiscard]] std::uint64_t program_memory_bytes(machine_description const& description, elf_image const& image,
                                                 std::string const& name);

}  // namespace tess::machine
