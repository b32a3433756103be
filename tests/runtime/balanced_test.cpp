// balanced: every item is processed once, on every fabric, whatever the places, and exceptions come out. Method: trees
// whose number of nodes is known, with all work at one place in the beginning.
#include "tess/balanced.hpp"

#include <numeric>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

// A tree in which a node of height h has h children, of heights h - 1 down to 0: 2^h nodes.
struct counting_bag {
  std::vector<std::uint32_t> heights;
  std::uint64_t nodes = 0;
  std::uint32_t throws_at = ~0U;

  [[nodiscard]] bool empty() const { return heights.empty(); }
  void process(unsigned items) {
    for (; items != 0 && !heights.empty(); --items) {
      std::uint32_t const height = heights.back();
      heights.pop_back();
      if (height == throws_at) throw tess::error("a height that it does not like");
      ++nodes;
      for (std::uint32_t h = 0; h < height; ++h) heights.push_back(h);
    }
  }
  counting_bag split() {
    auto const middle = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
    counting_bag part{{heights.begin(), middle}, 0, throws_at};
    heights.erase(heights.begin(), middle);
    return part;
  }
  void merge(counting_bag part) {
    throws_at = part.throws_at;
    heights.insert(heights.end(), part.heights.begin(), part.heights.end());
  }
  [[nodiscard]] std::uint64_t result() const { return nodes; }
};
static_assert(work_bag<counting_bag>);

std::uint64_t sum(std::vector<std::uint64_t> const& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

class balanced_work : public on_layouts {};

TEST_P(balanced_work, is_done_once_each) {
  run_here([]() -> task<void> {
    for (std::uint32_t const height : {0U, 1U, 5U, 13U}) {
      auto const nodes = co_await balanced(counting_bag{{height}}, {.items = 8});
      EXPECT_EQ(nodes.size(), places());
      EXPECT_EQ(sum(nodes), std::uint64_t{1} << height);
    }
    EXPECT_EQ(sum(co_await balanced(counting_bag{})), 0U);
    EXPECT_EQ(sum(co_await balanced(counting_bag{{9, 9, 9}}, {.items = 1, .attempts = 0})), 3U << 9U);
  });
}

// A place that got nothing in the beginning can only have work from others.
TEST_P(balanced_work, reaches_every_place) {
  run_here([]() -> task<void> {
    if (places() > 2) co_return;
    bool reached = false;
    for (int i = 0; i < 20 && !reached; ++i) {
      auto const nodes = co_await balanced(counting_bag{{17}}, {.items = 4});
      EXPECT_EQ(sum(nodes), 1U << 17U);
      reached = std::ranges::count(nodes, 0U) == 0;
    }
    EXPECT_TRUE(reached);
  });
}

TEST_P(balanced_work, ends_by_an_exception_of_a_bag) {
  run_here([]() -> task<void> {
    std::exception_ptr failed;
    try {
      co_await balanced(counting_bag{{9}, 0, 4}, {.items = 2});
    } catch (...) {
      failed = std::current_exception();
    }
    EXPECT_TRUE(failed);
    EXPECT_EQ(sum(co_await balanced(counting_bag{{7}})), 128U);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, balanced_work, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
