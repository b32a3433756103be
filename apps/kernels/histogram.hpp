// histogram: adds 1 to words of a spread table, word by word or in batches at their owners.
//
//   words: fetch_add with 64 on their way. messages: indices travel in streams; the owner adds a batch under its
//   place_atomic lock by plain additions, prefetching ahead. The words of one's own place do not travel.
//
// Shapes    word_of(k): the index that number k goes to, in [0, table.size()).
// Threads   words_here: a task of every place and worker that has numbers to add; messages: the same, and the caller's
//           finish waits for the additions. The two forms do not mix: plain additions and word operations would race.
// Cost      messages: 4 bytes for each number, in batches of up to 4 KiB; both: memory of the table.
// Source    histogram of the bale suite; the updates of HPC Challenge RandomAccess.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "kernels/form.hpp"
#include "tess/tess.hpp"

namespace kernels {

using histogram_table = tess::global_array<std::uint64_t>;

namespace detail {

inline constexpr unsigned words_on_their_way = 64;
inline constexpr std::size_t prefetch_distance = 32;
// The numbers processed between two yields; their data fit the first-level cache.
inline constexpr std::uint64_t sends_per_turn = 2048;

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

// The numbers of one turn: words of this place's block, and those of others.
class histogram_turn {
 public:
  // Every number is written to both lists and counted in one, which avoids an unpredictable branch.
  template <class WordOf>
  void split(histogram_table const& table, std::uint64_t first, std::uint64_t last, WordOf word_of) {
    tess::place_id const me = tess::here();
    std::size_t here = 0, away = 0;
    for (; first < last; ++first) {
      std::uint64_t const word = word_of(first);
      tess::place_id const owner = table.owner(word);
      auto const in_block = static_cast<std::uint32_t>(word - std::uint64_t{owner} * table.block());
      here_[here] = in_block;
      away_[away] = {in_block, owner};
      here += owner == me;
      away += owner != me;
    }
    here_count_ = here;
    away_count_ = away;
  }

  // A place of one worker adds its own words between the sends, so that the memory is busy meanwhile; handlers run
  // inside send() only, so nothing else adds at the same time.
  template <class Stream>
  void send(histogram_table const& table, Stream const& add) {
    std::size_t sent = 0;
    auto const send_next = [&] {
      if (sent == away_count_) return;
      add.send(away_[sent].owner, away_[sent].word);
      ++sent;
    };
    std::span const here(here_.data(), here_count_);
    if (tess::workers() == 1) {
      std::uint64_t* const counts = table.local().data();
      with_prefetch(
          std::span<std::uint32_t const>(here), [=](std::uint32_t w) { __builtin_prefetch(&counts[w], 1); },
          [&](std::uint32_t w) {
            ++counts[w];
            send_next();
          });
    } else {
      for (std::uint32_t const w : here) add.send(tess::here(), w);
    }
    while (sent < away_count_) send_next();
  }

 private:
  struct elsewhere {
    std::uint32_t word;
    tess::place_id owner;
  };
  std::array<std::uint32_t, sends_per_turn> here_;
  std::array<elsewhere, sends_per_turn> away_;
  std::size_t here_count_ = 0;
  std::size_t away_count_ = 0;
};

}  // namespace detail

// Numbers [first, last), one fetch_add each.
template <class WordOf>
tess::task<void> histogram_by_words(histogram_table table, std::uint64_t first, std::uint64_t last, WordOf word_of) {
  return tess::overlap<detail::words_on_their_way>(
      first, last, [table, word_of](std::uint64_t k) { return tess::fetch_add(table[word_of(k)], 1); });
}

// Numbers [first, last), sent to their owners; those of this place are added between the sends.
template <class WordOf>
tess::task<void> histogram_by_messages(histogram_table table, std::uint64_t first, std::uint64_t last, WordOf word_of) {
  detail::require_small_blocks(table, "histogram");
  auto const add = tess::make_stream<std::uint32_t>(detail::histogram_add{table});
  auto const turn = std::make_unique<detail::histogram_turn>();
  while (first < last) {
    std::uint64_t const end = first + std::min(last - first, detail::sends_per_turn);
    turn->split(table, first, end, word_of);
    turn->send(table, add);
    first = end;
    co_await tess::yield();
  }
}

template <class WordOf>
tess::task<void> histogram(form how, histogram_table table, std::uint64_t first, std::uint64_t last, WordOf word_of) {
  return how == form::words ? histogram_by_words(table, first, last, word_of)
                            : histogram_by_messages(table, first, last, word_of);
}

}  // namespace kernels
