// disassemble: instructions of xBGAS as an assembler would have them, for reports and traces.
//
// Source    docs/machine/rae.md.
#pragma once

#include <cstdint>
#include <string>

namespace tess::machine {

/// "eamoadd.d a0, a1, (a2)"; empty: the word is none of xBGAS.
[[nodiscard]] std::string disassemble_extended(std::uint32_t word);

}  // namespace tess::machine
