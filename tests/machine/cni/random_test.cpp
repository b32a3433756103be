// random_test: random mixes of counters, queues and copies of five tiles give the results of a model.
// Method: processes in place of harts. Counters are compared by their sums, items of queues by their numbers. Each tile
// copies into its own areas, one copy at a time, and a model in host memory is updated alike.
#include <algorithm>
#include <set>

#include "cni_fixture.hpp"
#include "test_seed.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
using tess::machine::test::interfaces;
namespace of = registers::cni;

constexpr std::uint32_t tiles = 5;
constexpr std::uint64_t area_bytes = 1024;
constexpr std::uint64_t log2_items = 3;

struct model {
  interfaces m;
  std::array<std::uint64_t, tiles> sums{};
  std::array<std::multiset<std::uint64_t>, tiles> sent;
  std::array<std::multiset<std::uint64_t>, tiles> taken;
  std::uint32_t at_work = tiles;

  model() {
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      m.configure(counter(tile), of::counter);
      m.configure(told(tile), of::counter);
      m.queue(queue(tile), of::queue, m.scratchpad(tile, 0), log2_items, item_log2_words(tile));
      (void)m.command_buffer(tile);
    }
  }
  kernel::delay_awaiter pause(std::uint64_t cycles) { return m.g.clock.delay(cycles * m.g.description.tile_clock_ps); }
  std::uint64_t counter(std::uint32_t tile) { return m.line(tile, 0); }
  std::uint64_t queue(std::uint32_t tile) { return m.line(tile, 1); }
  std::uint64_t told(std::uint32_t tile) { return m.line(tile, 2); }
  /// Tiles have items of 1, 2, 4, 8 and 1 words.
  static std::uint64_t item_log2_words(std::uint32_t tile) { return tile % 4; }
  /// The area that only tile `by` writes: in each tile's scratchpad, and in its partition.
  std::uint64_t area(std::uint32_t by, std::uint64_t choice) {
    auto const tile = static_cast<std::uint32_t>(choice / 2 % tiles);
    std::uint64_t const offset = 8192 + by * area_bytes;
    return choice % 2 == 0 ? m.scratchpad(tile, offset) : m.partition(tile) + 65536 + offset;
  }
};

task<> copies(model& all, std::uint32_t by, tess::test::random& random) {
  interfaces& m = all.m;
  std::uint64_t const from_area = all.area(by, random.below(2 * tiles));
  std::uint64_t to_area = all.area(by, random.below(2 * tiles));
  while (to_area == from_area) to_area = all.area(by, random.below(2 * tiles));
  std::uint64_t const bytes = 1 + random.below(area_bytes / 2);
  std::uint64_t const from = random.below(area_bytes - bytes + 1);
  std::uint64_t const to = random.below(area_bytes - bytes + 1);
  std::vector<std::byte> expected(area_bytes);
  for (std::uint64_t i = 0; i < area_bytes; ++i) {
    if (random.below(8) == 0) m.byte_at(from_area + i) = static_cast<std::byte>(random.next());
    expected[i] = m.byte_at(to_area + i);
  }
  for (std::uint64_t i = 0; i < bytes; ++i) expected[to + i] = m.byte_at(from_area + from + i);
  m.must_store(all.told(by) + of::counter_set, 0);
  std::uint64_t const buffer = m.commands(by);
  co_await all.m.hart_stores(buffer + of::command_destination, to_area + to);
  co_await all.m.hart_stores(buffer + of::command_source, from_area + from);
  co_await all.m.hart_stores(buffer + of::command_what, of::what_of(of::copy, bytes));
  co_await all.m.hart_stores(buffer + of::command_acknowledgement, all.told(by));
  while (m.word(all.told(by)) != bytes) co_await all.pause(10 + random.below(10));
  for (std::uint64_t i = 0; i < area_bytes; ++i) {
    EXPECT_EQ(m.byte_at(to_area + i), expected[i]) << "tile " << by << ", byte " << i;
    if (m.byte_at(to_area + i) != expected[i]) co_return;
  }
}

task<> puts(model& all, std::uint32_t by, std::uint32_t target, std::uint64_t name) {
  interfaces& m = all.m;
  all.sent[target].insert(name);
  std::uint64_t const words = std::uint64_t{1} << model::item_log2_words(target);
  if (words == 1 && target == by) {
    co_await all.m.hart_stores(all.queue(by), name);
  } else if (words == 1) {
    co_await all.m.hart_posts(by, all.queue(target), name);
  } else if (words <= 4) {
    std::uint64_t const buffer = m.commands(by);
    co_await all.m.hart_stores(buffer + of::command_destination, all.queue(target));
    co_await all.m.hart_stores(buffer + of::command_acknowledgement, 0);
    for (std::uint64_t i = 0; i < words; ++i) co_await all.m.hart_stores(buffer + of::command_data + 8 * i, name + i);
    co_await all.m.hart_stores(buffer + of::command_what, of::what_of(of::message, 8 * words));
  } else {
    // The source is reused when the item is in the queue.
    std::uint64_t const from = m.scratchpad(by, 4096 + 3);
    for (std::uint64_t i = 0; i < 8; ++i) {
      std::uint64_t const word = name + i;
      for (std::uint64_t b = 0; b < 8; ++b) m.byte_at(from + 8 * i + b) = static_cast<std::byte>(word >> (8 * b));
    }
    m.must_store(all.told(by) + of::counter_set, 0);
    std::uint64_t const buffer = m.commands(by);
    co_await all.m.hart_stores(buffer + of::command_source, from);
    co_await all.m.hart_stores(buffer + of::command_destination, all.queue(target));
    co_await all.m.hart_stores(buffer + of::command_acknowledgement, all.told(by));
    co_await all.m.hart_stores(buffer + of::command_what, of::what_of(of::copy, 64));
    while (m.word(all.told(by)) != 64) co_await all.pause(10);
  }
}

process works(model& all, std::uint32_t by, std::uint64_t operations) {
  tess::test::random random(tess::test::seed() * 77 + by);
  for (std::uint64_t i = 0; i < operations; ++i) {
    auto const target = static_cast<std::uint32_t>(random.below(tiles));
    std::uint64_t const kind = random.below(3);
    if (kind == 0) {
      std::uint64_t const value = random.next();
      all.sums[target] += value;
      if (target == by) {
        co_await all.m.hart_stores(all.counter(by), value);
      } else {
        co_await all.m.hart_posts(by, all.counter(target), value);
      }
    } else if (kind == 1) {
      co_await puts(all, by, target, (std::uint64_t{by} << 40U) + i * 16);
    } else {
      co_await copies(all, by, random);
    }
    co_await all.pause(random.below(30));
  }
  --all.at_work;
}

process takes(model& all, std::uint32_t tile) {
  interfaces& m = all.m;
  std::uint64_t head = 0;
  std::uint64_t const words = std::uint64_t{1} << model::item_log2_words(tile);
  while (all.at_work != 0 || all.sent[tile].size() != all.taken[tile].size()) {
    co_await all.pause(40 + tile * 17);
    for (; head < m.word(all.queue(tile) + of::queue_tail); ++head) {
      std::uint64_t const item = m.scratchpad(tile, (head % (1U << log2_items)) * 8 * words);
      all.taken[tile].insert(m.word(item));
      for (std::uint64_t i = 0; i < words; ++i) EXPECT_EQ(m.word(item + 8 * i), m.word(item) + i) << "mixed items";
    }
    m.must_store(all.queue(tile) + of::queue_head, head);
  }
}

TEST(counters_queues_and_copies, at_random_do_what_they_must) {
  TESS_PRINT_SEED(tess::test::seed());
  model all;
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    all.m.g.clock.start(works(all, tile, 400));
    all.m.g.clock.start(takes(all, tile));
  }
  all.m.run();
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    EXPECT_EQ(all.m.word(all.counter(tile)), all.sums[tile]) << tile;
    EXPECT_EQ(all.taken[tile], all.sent[tile]) << tile;
    EXPECT_GT(all.sent[tile].size(), 10U);
  }
  all.m.expect_no_fault();
}

}  // namespace
