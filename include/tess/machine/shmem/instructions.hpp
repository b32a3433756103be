// instructions: words of other PEs by one instruction each (docs/machine/rae.md): PE + 1 is the object.
//
// Cost      the instruction, and the one that makes the object.
#pragma once

#include <tess/machine/shmem/device.hpp>
#include <tess/machine/xbgas.hpp>

namespace tess::detail::shmem {

template <word_op Op, class W>
W at_pe(W* word, W operand, W expected, int pe) {
  namespace xbgas = tess::machine::xbgas;
  auto const object = static_cast<std::uint64_t>(pe) + 1;
  if constexpr (Op == word_op::get) return xbgas::get(object, word);
  if constexpr (Op == word_op::put) {
    xbgas::put(object, word, operand);
    return 0;
  }
  if constexpr (Op == word_op::exchange) return xbgas::swap(object, word, operand);
  if constexpr (Op == word_op::compare_swap) return xbgas::compare_swap(object, word, expected, operand);
  if constexpr (Op == word_op::fetch_add) return xbgas::fetch_add(object, word, operand);
  if constexpr (Op == word_op::fetch_and) return xbgas::fetch_and(object, word, operand);
  if constexpr (Op == word_op::fetch_or) return xbgas::fetch_or(object, word, operand);
  if constexpr (Op == word_op::fetch_xor) return xbgas::fetch_xor(object, word, operand);
}

inline void tell(int pe, int round) {
  (void)at_pe<word_op::fetch_add, std::uint64_t>(&told[round], 1, 0, pe);
}
inline void wait_until_told(int round, std::uint64_t times) {
  while (reserve(&told[round]) < times) sleep_reserved();
}

inline void open_transport() {
  for (int pe = 0; pe < own.pes; ++pe) tess::machine::xbgas::fill(static_cast<std::uint64_t>(pe) + 1, own.tiles[pe]);
}
inline void close_transport() {}

}  // namespace tess::detail::shmem
