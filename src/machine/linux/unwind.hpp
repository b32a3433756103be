// unwind: the caller of a frame, from the call frame information that every C++ program carries.
//
//   The tables are the program's, so they may be damaged or lie: every byte is read within bounds, every step must lead
//   up the stack, and what is not understood ends the walk.
//
// Source    DWARF 5, section 6.4; Linux Standard Base 5.0, .eh_frame; RISC-V ELF psABI, DWARF register numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "machine/linux/elf.hpp"
#include "machine/linux/user_memory.hpp"

namespace tess::machine {

struct call_frame {
  std::uint64_t pc = 0;
  std::array<std::uint64_t, 32> x{};  // as they were when pc was left
};

// The frame of the caller; nothing if there is none or it cannot be determined. `innermost`: pc is that of an
// instruction, not a return address.
[[nodiscard]] std::optional<call_frame> caller_of(call_frame const& frame, bool innermost, elf_image const& image,
                                                  user_memory& memory);

// Do the tables cover the function at pc? Some functions of the C library are missing.
[[nodiscard]] bool has_frame_information(elf_image const& image, std::uint64_t pc);

}  // namespace tess::machine
