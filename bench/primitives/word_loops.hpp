// word_loops: loops of word operations on memory of another place, independent or along a chain.
//
//   The same work as in limits/raw_words.hpp, on the same chain and lines.
#pragma once

#include <cstdint>
#include <tess/tess.hpp>

#include "harness/clock.hpp"
#include "limits/raw_words.hpp"

namespace bench {

using words = tess::global_ptr<std::uint64_t>;

inline constexpr std::uint32_t hot_lines = 64;

/// Words of place 1, written there with a chain of `lines`.
inline tess::task<words> chain_at_one(std::uint32_t lines) {
  co_return co_await tess::at(
      1,
      [](std::uint32_t n) {
        auto const memory = tess::allocate<std::uint64_t>(std::size_t{n} * words_per_line);
        write_chain(memory.local(), random_cycle(n, 1));
        return memory;
      },
      lines);
}

template <word_op Op>
tess::task<std::uint64_t> follow(words memory, std::uint64_t operations) {
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < operations; ++i) {
    words const here = memory + static_cast<std::ptrdiff_t>(at);
    std::uint64_t found;
    if constexpr (Op == word_op::fetch_add)
      found = co_await tess::fetch_add(here, chain_step);
    else
      found = co_await tess::get(here);
    if constexpr (Op == word_op::put) co_await tess::put(here, found + chain_step);
    if constexpr (Op == word_op::put_relaxed) co_await tess::put(here, found + chain_step, std::memory_order_relaxed);
    at = next_word(found);
  }
  co_return at;
}

template <word_op Op>
tess::task<void> touch(words memory, std::uint64_t operations) {
  for (std::uint64_t i = 0; i < operations; ++i) {
    words const here = memory + static_cast<std::ptrdiff_t>((i & (hot_lines - 1)) * words_per_line);
    if constexpr (Op == word_op::get)
      do_not_optimize(co_await tess::get(here));
    else if constexpr (Op == word_op::put)
      co_await tess::put(here, i);
    else if constexpr (Op == word_op::put_relaxed)
      co_await tess::put(here, i, std::memory_order_relaxed);
    else
      do_not_optimize(co_await tess::fetch_add(here, 1));
  }
}

}  // namespace bench
