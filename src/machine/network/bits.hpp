// bits: sets of ports and channels as the bits of a word: iteration and round-robin choice.
#pragma once

#include <bit>
#include <cstdint>

namespace tess::machine {

/// Calls f with the number of each set bit, lowest first.
template <class Word, class F>
void for_each_bit(Word bits, F&& f) {
  for (; bits != 0; bits = static_cast<Word>(bits & (bits - 1))) f(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

/// The first set bit at or after `start`, or the lowest one if there is none. `bits` is not zero; `start` is less than
/// the width of the word.
template <class Word>
[[nodiscard]] std::uint32_t round_robin(Word bits, std::uint32_t start) noexcept {
  Word const at_or_after = static_cast<Word>(bits & (static_cast<Word>(~Word{0}) << start));
  return static_cast<std::uint32_t>(std::countr_zero(at_or_after != 0 ? at_or_after : bits));
}

/// A word whose lowest `count` bits are set.
constexpr std::uint32_t lowest_bits(std::uint32_t count) noexcept {
  return count >= 32 ? ~0U : (1U << count) - 1;
}

}  // namespace tess::machine
