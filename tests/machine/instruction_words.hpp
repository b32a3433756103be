// instruction_words: the fixed bits of an instruction by its operation, from the decoder's own table.
#pragma once

#include <array>

#include "machine/isa/decode.hpp"

namespace tess::machine {

constexpr std::uint32_t match_of(operation op) {
  constexpr std::array matches{
#define X(extension, name, mask, match, form, cost) std::uint32_t{match},
#include "machine/isa/instructions.def"
#undef X
  };
  return matches[static_cast<std::size_t>(op)];
}

}  // namespace tess::machine
