// contention_test: all tiles of the largest preset flood queues of a few items; every item arrives exactly once.
// Method: processes instead of harts; each item has a unique number, which is ticked off.
#include "cni_fixture.hpp"
#include "test_seed.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
using tess::machine::test::interfaces;
namespace of = registers::cni;

constexpr std::uint64_t log2_items = 2;

struct contention {
  explicit contention(std::uint32_t hot_, std::uint64_t items_of_each_)
      : hot(hot_), items_of_each(items_of_each_), came(m.g.description.tiles() * items_of_each) {}

  kernel::delay_awaiter pause(std::uint64_t cycles) { return m.g.clock.delay(cycles * m.g.description.tile_clock_ps); }
  [[nodiscard]] std::uint64_t name_of(std::uint32_t tile, std::uint64_t item) const {
    return tile * items_of_each + item;
  }
  void tick(std::uint64_t name) {
    ASSERT_LT(name, came.size());
    EXPECT_FALSE(came[name]) << "twice: " << name;
    came[name] = true;
    ++count;
  }
  /// About every 16th tile has queues.
  [[nodiscard]] std::uint32_t hot_tile(std::uint64_t choice) const {
    return static_cast<std::uint32_t>(choice % hot * (m.g.description.tiles() / hot));
  }

  interfaces m{"cni-128"};
  std::uint32_t hot;
  std::uint64_t items_of_each;
  std::vector<bool> came;
  std::uint64_t count = 0;
};

process sends(contention& s, std::uint32_t tile) {
  tess::test::random random(tess::test::seed() + tile);
  for (std::uint64_t i = 0; i < s.items_of_each; ++i) {
    std::uint64_t const queue = s.m.line(s.hot_tile(random.next()), 0);
    std::uint64_t const name = s.name_of(tile, i);
    co_await s.m.hart_posts(tile, queue, name);
    co_await s.pause(random.below(8));
  }
}

process reads(contention& s, std::uint32_t tile) {
  std::uint64_t const line = s.m.line(tile, 0);
  std::uint64_t taken = 0;
  while (s.count < s.came.size()) {
    co_await s.pause(20);
    for (; taken < s.m.word(line + of::queue_tail); ++taken) {
      s.tick(s.m.word(s.m.scratchpad(tile, 4096 + 8 * (taken % (1U << log2_items)))));
    }
    s.m.must_store(line + of::queue_head, taken);
  }
}

TEST(contention, of_all_tiles_on_a_few_small_queues_loses_nothing) {
  TESS_PRINT_SEED(tess::test::seed());
  contention s(8, 16);
  for (std::uint32_t i = 0; i < s.hot; ++i) {
    std::uint32_t const tile = s.hot_tile(i);
    s.m.queue(s.m.line(tile, 0), of::queue, s.m.scratchpad(tile, 4096), log2_items, 0);
    s.m.g.clock.start(reads(s, tile));
  }
  for (std::uint32_t tile = 0; tile < s.m.g.description.tiles(); ++tile) s.m.g.clock.start(sends(s, tile));
  s.m.run();
  EXPECT_EQ(s.count, s.came.size());
  s.m.expect_no_fault();
}

/// Requests as many items as it sends, one at a time, and records each as it is written to its word.
process asks(contention& s, std::uint32_t tile) {
  tess::test::random random(tess::test::seed() + 1000 + tile);
  std::uint64_t const answer = s.m.scratchpad(tile, 512);
  std::uint64_t const none = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i < s.items_of_each; ++i) {
    std::memcpy(s.m.at(tile).lines().at(answer), &none, sizeof none);
    std::uint64_t const queue = s.m.line(s.hot_tile(i), 0);  // every tile each of them equally often, as items are sent
    co_await s.m.hart_posts(tile, queue + of::match_request, answer);
    while (s.m.word(answer) == none) co_await s.pause(10 + random.below(10));
    s.tick(s.m.word(answer));
  }
}
process supplies(contention& s, std::uint32_t tile) {
  for (std::uint64_t i = 0; i < s.items_of_each; ++i) {
    std::uint64_t const queue = s.m.line(s.hot_tile(i), 0);
    std::uint64_t const name = s.name_of(tile, i);
    co_await s.m.hart_posts(tile, queue, name);
  }
}

TEST(contention, of_items_and_requests_gives_each_item_to_one) {
  TESS_PRINT_SEED(tess::test::seed());
  contention s(8, 8);
  for (std::uint32_t i = 0; i < s.hot; ++i) {
    std::uint32_t const tile = s.hot_tile(i);
    s.m.queue(s.m.line(tile, 0), of::match_queue, s.m.scratchpad(tile, 4096), log2_items, 0);
  }
  for (std::uint32_t tile = 0; tile < s.m.g.description.tiles(); ++tile) {
    s.m.g.clock.start(asks(s, tile));
    s.m.g.clock.start(supplies(s, tile));
  }
  s.m.run();
  EXPECT_EQ(s.count, s.came.size());
  for (std::uint32_t i = 0; i < s.hot; ++i) EXPECT_EQ(s.m.word(s.m.line(s.hot_tile(i), 0) + of::match_balance), 0U);
  s.m.expect_no_fault();
}

TEST(contention, of_counts_adds_up) {
  contention s(1, 16);
  std::uint64_t const counter = s.m.line(0, 0);
  s.m.configure(counter, of::counter);
  for (std::uint32_t tile = 0; tile < s.m.g.description.tiles(); ++tile) s.m.g.clock.start(sends(s, tile));
  s.m.run();
  std::uint64_t const all = s.came.size();
  EXPECT_EQ(s.m.word(counter), all * (all - 1) / 2) << "names are from 0";
  s.m.expect_no_fault();
}

}  // namespace
