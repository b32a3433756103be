// random_words: common options of histogram and index-gather, and the random numbers they draw.
//
//   Number k is the same on every number of places; place p draws those of block p of [0, numbers), by all its workers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "command_line/command_line.hpp"
#include "kernels/form.hpp"
#include "kernels/random_word.hpp"

namespace command_line {

// Tables up to this size are checked word by word.
inline constexpr std::uint64_t replay_words_max = std::uint64_t{1} << 24;

struct word_program {
  std::uint64_t words = std::uint64_t{1} << 20;
  std::uint64_t numbers = 1'000'000;
  std::uint64_t seed = 1;
  kernels::form how = kernels::form::messages;
  bool verify = true;

  [[nodiscard]] std::uint64_t word_of(std::uint64_t k) const noexcept {
    return kernels::scaled(kernels::random_word(seed, k), words);
  }

  // work(from, to) as a task for each worker's part of this place's numbers.
  template <class Work>
  [[nodiscard]] tess::task<void> by_workers(Work work) const {
    std::uint64_t const share = (numbers + tess::places() - 1) / tess::places();
    std::uint64_t const begin = std::min(tess::here() * share, numbers);
    std::uint64_t const end = std::min(begin + share, numbers);
    std::uint64_t const grain = (end - begin + tess::workers() - 1) / tess::workers();
    return tess::forall_chunks(begin, end, std::max<std::uint64_t>(grain, 1), work);
  }

  void print(char const* what, double seconds) const {
    fmt::print("{} {} by {} in a table of {} words at {} places\n", numbers, what,
               how == kernels::form::words ? "word operations" : "messages", words, tess::places());
    fmt::print("time: {:.6f} s, {:.2f} M/s\n", seconds, static_cast<double>(numbers) / seconds / 1e6);
  }

  // Most JSON readers lose integers beyond 2^53.
  void report(bool right, std::uint64_t checksum) const {
    tess::report_result("words", std::to_string(words));
    tess::report_result("numbers", std::to_string(numbers));
    if (!verify) return;
    tess::report_result("checksum", std::to_string(checksum >> 11U));
    tess::report_result("verified", right ? "true" : "false");
  }
};

inline void declare(parser& app, word_program& into) {
  app.add_option("--words", into.words, "of the table").shows_default().between(1UL, 1UL << 40U);
  app.add_option("--numbers", into.numbers, "in all").shows_default().between(1UL, 1UL << 40U);
  app.add_seed(into.seed, "of the random numbers").shows_default();
  app.add_choice<kernels::form>("--form", into.how,
                                {{"words", kernels::form::words}, {"messages", kernels::form::messages}},
                                "words: one operation for each; messages: batches to their owners (the default)");
  app.add_flag("--verify,!--no-verify", into.verify, "check the result (default: yes)");
}

}  // namespace command_line
