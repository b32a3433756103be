// histogram: adds 1 to words of a spread table, word by word or in batches at their owners.
//
//   words: fetch_add with 64 on their way. messages: indices travel in streams; the owner adds a batch under its
//   place_atomic lock by plain additions, prefetching ahead.
//
// Shapes    word_of(k): the index that number k goes to, in [0, table.size()).
// Threads   words_here: a task of every place and worker that has numbers to add; messages: the same, and the caller's
//           finish waits for the additions. The two forms do not mix: plain additions and word operations would race.
// Cost      messages: 4 bytes for each number, in batches of up to 4 KiB; both: memory of the table.
// Source    histogram of the bale suite; the updates of HPC Challenge RandomAccess.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/form.hpp"
#include "tess/tess.hpp"

namespace kernels {

using histogram_table = tess::global_array<std::uint64_t>;

namespace detail {

inline constexpr unsigned words_on_their_way = 64;
inline constexpr std::size_t prefetch_distance = 32;
// So many sends between two turns of the other tasks.
inline constexpr std::uint64_t sends_per_turn = 4096;

// use(i) for every item; touch(i), which prefetches what use(i) will need, some items ahead.
template <class T, class Touch, class Use>
[[gnu::always_inline]] inline void with_prefetch(std::span<T const> items, Touch touch, Use use) {
  std::size_t const n = items.size();
  std::size_t const first = std::min(n, prefetch_distance);
  for (std::size_t i = 0; i < first; ++i) touch(items[i]);
  for (std::size_t i = first; i < n; ++i) {
    touch(items[i]);
    use(items[i - first]);
  }
  for (std::size_t i = n - first; i < n; ++i) use(items[i]);
}

// Adds a batch of indices into this place's block.
struct histogram_add {
  histogram_table table;

  void operator()(std::span<std::uint32_t const> words) const {
    std::uint64_t* const counts = table.local().data();
    tess::place_atomic([=] {
      with_prefetch(
          words, [=](std::uint32_t w) { __builtin_prefetch(&counts[w], 1); }, [=](std::uint32_t w) { ++counts[w]; });
    });
  }
};

// Items of 4 bytes name a word of a block.
template <class T>
void require_small_blocks(tess::global_array<T> const& table, char const* who) {
  if (table.block() > std::numeric_limits<std::uint32_t>::max())
    throw tess::error(who, std::to_string(table.block()) + " words at each place", "fewer than 2^32, or more places");
}

}  // namespace detail

// Numbers [first, last), one fetch_add each.
template <class WordOf>
tess::task<void> histogram_by_words(histogram_table table, std::uint64_t first, std::uint64_t last, WordOf word_of) {
  return tess::overlap<detail::words_on_their_way>(
      first, last, [table, word_of](std::uint64_t k) { return tess::fetch_add(table[word_of(k)], 1); });
}

// Numbers [first, last), sent to their owners.
template <class WordOf>
tess::task<void> histogram_by_messages(histogram_table table, std::uint64_t first, std::uint64_t last, WordOf word_of) {
  detail::require_small_blocks(table, "histogram");
  auto const add = tess::make_stream<std::uint32_t>(detail::histogram_add{table});
  while (first < last) {
    std::uint64_t const end = first + std::min(last - first, detail::sends_per_turn);
    for (; first < end; ++first) {
      std::uint64_t const word = word_of(first);
      tess::place_id const owner = table.owner(word);
      add.send(owner, static_cast<std::uint32_t>(word - std::uint64_t{owner} * table.block()));
    }
    co_await tess::yield();
  }
}

template <class WordOf>
tess::task<void> histogram(form how, histogram_table table, std::uint64_t first, std::uint64_t last, WordOf word_of) {
  return how == form::words ? histogram_by_words(table, first, last, word_of)
                            : histogram_by_messages(table, first, last, word_of);
}

}  // namespace kernels
