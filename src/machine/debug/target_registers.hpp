// target_registers: the registers of a hart as gdb numbers them: those of RISC-V, the extension registers of xBGAS, and
// the hart's windows of its tile's units.
//
//   A unit's register is there where loading it has no effect, so that to look changes nothing.
//
// Shapes    values are little-endian, of 4 or 8 bytes.
// Threads   none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "machine/timed/timed_hart.hpp"

namespace tess::machine {

/// Those of g and G packets are numbers 0 up to this.
inline constexpr std::uint64_t registers_in_packet = 69;

/// For the tile of a machine: a description in XML, which names units that the tile has.
[[nodiscard]] std::string target_description(timed_hart& of);
/// The value as gdb wants it, in hexadecimal digits; nothing: there is no such register.
[[nodiscard]] std::optional<std::string> register_text(timed_hart& of, std::uint64_t number);
/// Sets it from bytes. False: there is no such register, or it cannot be written.
bool set_register(timed_hart& of, std::uint64_t number, std::string const& bytes);

}  // namespace tess::machine
