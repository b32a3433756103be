// index_gather: reads random words of a spread table, word by word or in batches from their owners.
//
//   words: get with 64 on their way. messages: requests {word, slot} travel in a stream; the owner reads a batch,
//   prefetching ahead, and answers in a stream {slot, value} to the requester, under the same finish.
//
// Shapes    word_of(k): the index that is read for number k; its value goes to out[k - first].
// Threads   a task of every place and worker that has numbers to read; out lies at that task's place. messages: the
//           caller's finish waits for the values.
// Cost      messages: 8 bytes for each request and 12 for each answer, in batches of up to 4 KiB.
// Source    indexgather of the bale suite.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/form.hpp"
#include "kernels/histogram.hpp"
#include "tess/tess.hpp"

namespace kernels {

using gathered_table = tess::global_array<std::uint64_t>;

namespace detail {

struct gather_request {
  std::uint32_t word;  // of the owner's block
  std::uint32_t slot;
};

// 12 bytes instead of 16.
struct gather_answer {
  std::uint32_t slot;
  std::uint32_t low, high;
};

struct gather_store {
  tess::global_ptr<std::uint64_t> out;

  void operator()(std::span<gather_answer const> answers) const {
    std::uint64_t* const values = out.local();
    for (gather_answer const& a : answers) values[a.slot] = std::uint64_t{a.high} << 32 | a.low;
  }
};

struct gather_read {
  gathered_table table;
  tess::global_ptr<std::uint64_t> out;
  tess::stream<gather_answer, gather_store> answers;

  void operator()(std::span<gather_request const> requests) const {
    std::uint64_t const* const words = table.local().data();
    auto const touch = [=](gather_request r) { __builtin_prefetch(&words[r.word], 0); };
    if (out.place() == tess::here()) {
      std::uint64_t* const values = out.local();
      with_prefetch(requests, touch, [=](gather_request r) { values[r.slot] = words[r.word]; });
      return;
    }
    with_prefetch(requests, touch, [&, asker = out.place()](gather_request r) {
      std::uint64_t const value = words[r.word];
      answers.send(asker, {r.slot, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)});
    });
  }
};

}  // namespace detail

// Numbers [first, last), one get each.
template <class WordOf>
tess::task<void> gather_by_words(gathered_table table, std::uint64_t first, std::uint64_t last, WordOf word_of,
                                 tess::global_ptr<std::uint64_t> out) {
  return tess::overlap<detail::words_on_their_way>(
      first, last, [table, word_of](std::uint64_t k) { return tess::get(table[word_of(k)]); },
      [values = out.local(), first](std::uint64_t k, std::uint64_t value) { values[k - first] = value; });
}

// Numbers [first, last), requested from their owners.
template <class WordOf>
tess::task<void> gather_by_messages(gathered_table table, std::uint64_t first, std::uint64_t last, WordOf word_of,
                                    tess::global_ptr<std::uint64_t> out) {
  detail::require_small_blocks(table, "index_gather");
  if (last - first > std::numeric_limits<std::uint32_t>::max())
    throw tess::error("index_gather", std::to_string(last - first) + " numbers at once", "fewer than 2^32");
  auto const ask = tess::make_stream<detail::gather_request>(
      detail::gather_read{table, out, tess::make_stream<detail::gather_answer>(detail::gather_store{out})});
  std::uint64_t const begin = first;
  while (first < last) {
    std::uint64_t const end = first + std::min(last - first, detail::sends_per_turn);
    for (; first < end; ++first) {
      std::uint64_t const word = word_of(first);
      tess::place_id const owner = table.owner(word);
      ask.send(owner, {static_cast<std::uint32_t>(word - std::uint64_t{owner} * table.block()),
                       static_cast<std::uint32_t>(first - begin)});
    }
    co_await tess::yield();
  }
}

template <class WordOf>
tess::task<void> index_gather(form how, gathered_table table, std::uint64_t first, std::uint64_t last, WordOf word_of,
                              tess::global_ptr<std::uint64_t> out) {
  return how == form::words ? gather_by_words(table, first, last, word_of, out)
                            : gather_by_messages(table, first, last, word_of, out);
}

}  // namespace kernels
