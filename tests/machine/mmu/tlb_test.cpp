// tlb_test: a TLB has what a list for each set has that forgets what came first.
// Method: random look-ups, fills and drops beside such lists, for several shapes.
#include "machine/mmu/tlb.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

namespace tess::machine {
namespace {

struct shape {
  std::uint32_t entries;
  std::uint32_t ways;
};

class a_tlb : public testing::TestWithParam<shape> {};

TEST_P(a_tlb, forgets_what_was_filled_longest_ago) {
  auto const [entries, ways] = GetParam();
  std::uint32_t const sets = entries / ways;
  tlb made(entries, ways);
  struct known {
    std::uint64_t page;
    std::uint64_t target;
  };
  std::vector<std::deque<known>> model(sets);
  std::mt19937_64 draw(entries * 1000 + ways);
  std::uint64_t hits = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    std::uint64_t const page = draw() % (2 * entries) + (draw() % 2 << 26U);
    std::deque<known>& set = model[page % sets];
    auto const here = std::ranges::find(set, page, &known::page);
    ASSERT_EQ(made.find(page), here == set.end() ? tlb::none : here->target) << turn;
    hits += here == set.end() ? 0 : 1;
    if (here == set.end()) {
      // A dropped one leaves room, which is used first.
      std::uint64_t const left = set.size() == ways ? set.front().page : tlb::none;
      if (set.size() == ways) set.pop_front();
      set.push_back({page, draw() >> 8U << 12U});
      ASSERT_EQ(made.fill(page, set.back().target), left) << turn;
    }
    if (draw() % 50 != 0) continue;
    std::uint64_t const first = draw() % (2 * entries);
    std::uint64_t const end = first + draw() % 4;
    made.drop(first, end);
    for (auto& each : model) std::erase_if(each, [&](known const& one) { return one.page >= first && one.page < end; });
  }
  EXPECT_GT(hits, 1000U);
}

INSTANTIATE_TEST_SUITE_P(shapes, a_tlb, testing::Values(shape{2, 2}, shape{40, 40}, shape{64, 1}, shape{64, 4}));

TEST(a_tlb_without_entries, has_nothing) {
  tlb const none(0, 1);
  EXPECT_FALSE(none.has_entries());
  EXPECT_EQ(none.find(0), tlb::none);
}

}  // namespace
}  // namespace tess::machine
