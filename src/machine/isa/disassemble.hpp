// disassemble: instructions of xBGAS in assembler syntax, for reports and traces.
//
// Source    docs/machine/rae.md.
#pragma once

#include <cstdint>
#include <string>

namespace tess::machine {

/// "eamoadd.d a0, a1, (a2)"; empty: not an instruction of xBGAS.
[[nodiscard]] std::string disassemble_extended(std::uint32_t word);

}  // namespace tess::machine
