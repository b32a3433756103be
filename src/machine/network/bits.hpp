// bits: sets of ports and channels as the bits of a word, walked in order or round robin.
#pragma once

#include <bit>
#include <cstdint>

namespace tess::machine {

/// Calls f with the number of each bit, lowest first.
template <class Word, class F>
void for_each_bit(Word bits, F&& f) {
  for (; bits != 0; bits = static_cast<Word>(bits & (bits - 1))) f(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

/// The first bit at or after `start`, and from 0 if there is none; `bits` is not zero, `start` below the width.
template <class Word>
[[nodiscard]] std::uint32_t round_robin(Word bits, std::uint32_t start) noexcept {
  Word const behind = static_cast<Word>(bits & (static_cast<Word>(~Word{0}) << start));
  return static_cast<std::uint32_t>(std::countr_zero(behind != 0 ? behind : bits));
}

}  // namespace tess::machine
