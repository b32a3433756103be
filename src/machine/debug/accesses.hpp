// accesses: the memory that an instruction is about to access, by the registers of its hart.
//
// Units     bytes.
// Threads   none.
#pragma once

#include <cstdint>
#include <optional>

#include "machine/timed/program_host.hpp"

namespace tess::machine {

struct memory_access {
  std::uint64_t address = 0;  ///< Global.
  std::uint32_t bytes = 0;
  bool reads = false;
  bool writes = false;
};

/// Nothing: the instruction accesses no memory.
[[nodiscard]] std::optional<memory_access> access_of(decoded const& instruction, timed_hart& by,
                                                     program_host const& of);

}  // namespace tess::machine
