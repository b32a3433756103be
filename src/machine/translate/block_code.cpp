// block_code: a translation, made and forgotten.
#include "machine/translate/block_code.hpp"

#include "machine/translate/translation.hpp"

namespace tess::machine {

std::optional<block_code> translated(std::span<std::byte> buffer, inst const* first, std::span<operation const> kinds,
                                     code_surroundings const& around) {
  return translation{buffer, first, kinds, around}.make();
}

}  // namespace tess::machine
