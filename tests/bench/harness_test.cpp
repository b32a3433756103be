// harness_test: medians, ratios and the order of rounds are what the tables claim; the limits compute what they time.
//
// Method: measurements are lambdas that return known numbers and record the order in which they were called. The
// limits that have a result (the chain, the table of updates, the deque) are checked for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/huge_pages.hpp"
#include "harness/report.hpp"
#include "harness/suite.hpp"
#include "limits/owner_deque.hpp"
#include "limits/raw_gups.hpp"
#include "limits/raw_words.hpp"

namespace bench {
namespace {

TEST(suite, takes_the_ratio_that_is_larger_when_ours_is_better) {
  EXPECT_DOUBLE_EQ(ratio_of({.limit = 10, .ours = 20}, better_of("ns/op")), 0.5);
  EXPECT_DOUBLE_EQ(ratio_of({.limit = 10, .ours = 20}, better_of("M/s")), 2.0);
  EXPECT_THROW((void)ratio_of({.limit = 0, .ours = 20}, better::larger), std::invalid_argument);
  EXPECT_THROW((void)better_of("apples"), std::invalid_argument);
}

TEST(suite, keeps_the_median_of_ratios_not_the_ratio_of_medians) {
  suite measured("t", {});
  std::vector<round> const rounds{{.limit = 1, .ours = 2}, {.limit = 6, .ours = 8}, {.limit = 9, .ours = 90}};
  measured.record("c", 2, "ns", rounds);
  entry const& kept = measured.entries().front();
  EXPECT_DOUBLE_EQ(kept.value, 8);
  EXPECT_DOUBLE_EQ(kept.limit.value(), 6);
  EXPECT_DOUBLE_EQ(kept.ratio.value(), 0.5);
}

TEST(suite, alternates_and_changes_who_goes_first) {
  std::string order;
  suite measured("t", {.runs = 3, .only = "", .json = ""});
  auto const noting = [&order](char who) {
    return [&order, who] {
      order += who;
      return 1.0;
    };
  };
  measured.pair("c", 1, "ns", noting('l'), noting('o'));
  EXPECT_EQ(order, "loollo");
}

TEST(suite, leaves_out_cases_not_asked_for) {
  suite measured("t", {.runs = 1, .only = "hot", .json = ""});
  measured.alone("word hot get", 1, "ns", [] { return 1.0; });
  measured.alone("word random get", 1, "ns", []() -> double { throw std::logic_error("was not asked for"); });
  EXPECT_EQ(measured.entries().size(), 1U);
}

TEST(report, writes_null_for_a_missing_limit) {
  suite measured("t", {.runs = 2, .only = "", .json = ""});
  measured.alone("a", 1, "ns", [] { return 3.0; });
  measured.pair("b", 2, "M/s", [] { return 4.0; }, [] { return 1.0; });
  auto const expected = nlohmann::json::parse(R"([
    {"bench": "t", "case": "a", "places": 1, "value": 3.0, "unit": "ns", "limit": null, "ratio": null, "runs": 2},
    {"bench": "t", "case": "b", "places": 2, "value": 1.0, "unit": "M/s", "limit": 4.0, "ratio": 0.25, "runs": 2}])");
  EXPECT_EQ(nlohmann::json::parse(json(measured.entries())), expected);
}

TEST(limits, chain_visits_every_line_once_and_survives_additions) {
  constexpr std::uint32_t lines = 512;
  huge_array<std::uint64_t> const words(lines * words_per_line);
  write_chain(words.data(), random_cycle(lines, 7));
  EXPECT_GT(raw_word_random(word_op::fetch_add, words.data(), lines), 0);
  std::vector<bool> seen(lines);
  std::size_t at = 0;
  for (std::uint32_t step = 0; step < lines; ++step) {
    EXPECT_EQ(words[at] >> 32U, 1U) << "each line was added to once";
    seen[at / words_per_line] = true;
    at = next_word(words[at]);
  }
  EXPECT_EQ(at, 0U);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), lines);
}

TEST(limits, gups_makes_every_update_where_the_stream_says) {
  constexpr std::size_t words = 1024;
  constexpr std::uint64_t updates = 10'000;
  huge_array<std::uint64_t> const table(words);
  (void)raw_gups(table.data(), words, updates, 2);
  std::vector<std::uint64_t> expected(words);
  for (int const rank : {0, 1}) {
    for (std::uint64_t k = 0; k < updates / 2; ++k) ++expected[gups_word(rank, k, words)];
  }
  EXPECT_TRUE(std::ranges::equal(table, expected));
}

TEST(limits, deque_gives_each_entry_to_exactly_one_taker) {
  constexpr std::size_t entries = 200'000;
  constexpr std::size_t queued_max = 64;
  std::vector<std::atomic<int>> taken(entries);
  owner_deque<std::atomic<int>, queued_max> deque;
  std::atomic<bool> over = false;
  {
    std::jthread const thief([&] {
      while (!over.load()) {
        if (auto* const entry = deque.steal()) entry->fetch_add(1);
      }
    });
    for (std::size_t i = 0; i < entries; ++i) {
      deque.push(&taken[i]);
      // Mostly short, so that owner and thief meet at the last entry.
      if (i % 3 != 0) continue;
      while (auto* const entry = deque.pop()) entry->fetch_add(1);
    }
    while (auto* const entry = deque.pop()) entry->fetch_add(1);
    over = true;
  }
  EXPECT_TRUE(std::ranges::all_of(taken, [](std::atomic<int> const& times) { return times.load() == 1; }));
}

}  // namespace
}  // namespace bench
