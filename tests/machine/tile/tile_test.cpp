// tile_test: latencies of Table 2 for every tile, one home for every word, stale copies where caches are not coherent.
//
// Method: the grid of a preset without harts; single accesses on an idle machine, to the cycle; then owners and
// other tiles add to one word at once.
#include <gtest/gtest.h>

#include <cstring>

#include "machine/tile/grid.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace

machine_description preset(std::string const& name) {
  return read_machine(std::string(TESS_MACHINES) + "/" + name + ".toml");
}

struct moment : event {
  explicit moment(kernel& k_)
      : event([](event& self) { static_cast<moment&>(self).time = static_cast<moment&>(self).k.now(); }), k(k_) {}
  kernel& k;
  picoseconds time = 0;
};

/// Cycles from the miss to the line's arrival, on an otherwise idle machine.
std::uint64_t miss_cycles(grid& g, std::uint32_t number, std::uint64_t offset) {
  region const& own = *g.map.of(region_kind::partition, number);
  moment there(g.clock);
  picoseconds const start = g.clock.now();
  EXPECT_EQ(g.tiles[number]->look_up(tile::place::l2, own.base + offset, false), nullptr);
  g.tiles[number]->l2().bring(own.base + offset, there);
  g.clock.run();
  EXPECT_NE(g.tiles[number]->look_up(tile::place::l2, own.base + offset, false), nullptr);
  return (there.time - start) / g.description.tile_clock_ps;
}

class every_machine : public testing::TestWithParam<std::string> {};

TEST_P(every_machine, has_an_l2_miss_of_base_and_hops_exactly) {
  grid g(preset(GetParam()));
  std::uint64_t const per_hop = 2 * g.description.network.hop_cycles();
  std::uint64_t base = 0;
  double sum = 0;
  int compute = 0;
  for (std::uint32_t number = 0; number < g.description.tiles(); ++number) {
    std::uint32_t const memory = g.map.of(region_kind::partition, number)->memory_tile;
    std::uint32_t const distance = g.noc.layout().distance(number, memory);
    for (std::uint64_t access = 0; access < 40; ++access) {
      // Row hits, row conflicts, other banks, and times during a refresh.
      std::uint64_t const cycles = miss_cycles(g, number, access * 33 * 32 * 17);
      if (base == 0) base = cycles - per_hop * distance;
      ASSERT_EQ(cycles, base + per_hop * distance) << "tile " << number << ", access " << access;
      g.clock.run_until(g.clock.now() + g.description.tile_clock_ps * (3 + access * 29));
      g.clock.run_until(clock_domain(g.description.tile_clock_ps).edge(g.clock.now()));
    }
    if (!g.description.is_memory(number)) {
      sum += static_cast<double>(base + per_hop * distance);
      ++compute;
    }
  }
  RecordProperty("base", static_cast<int>(base));
  if (GetParam() == "nemesys-4x4") EXPECT_NEAR(sum / compute, 90, 2) << "base " << base;
}

INSTANTIATE_TEST_SUITE_P(all, every_machine,
                         testing::Values("nemesys-4x4", "nemesys-4x4-single", "nemesys-2x2", "single-tile"));

TEST(a_hit, takes_the_cycles_of_table_2_and_waits_for_the_bus) {
  grid g(preset("nemesys-4x4"));
  tile& one = *g.tiles[0];
  EXPECT_EQ(one.hit_cycle(tile::place::l2, 100, 8), 120U);
  EXPECT_EQ(one.hit_cycle(tile::place::tlm, 200, 8), 220U);
  // The second access of a cycle starts after the first has left the bus: two cycles for a word.
  EXPECT_EQ(one.hit_cycle(tile::place::l2, 300, 8), 320U);
  EXPECT_EQ(one.hit_cycle(tile::place::l2, 300, 8), 322U);
}

struct remote : event {
  remote(adapter& by_, transaction& request_)
      : event([](event& self) { static_cast<remote&>(self).waiting.resume(); }), by(by_), request(request_) {
    request.done = this;
  }
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    waiting = handle;
    by.issue(request);
  }
  void await_resume() const noexcept {}
  adapter& by;
  transaction& request;
  std::coroutine_handle<> waiting;
};

process adds(grid& g, std::uint32_t from, std::uint32_t owner, std::uint64_t address, int times) {
  for (int i = 0; i < times; ++i) {
    transaction add;
    add.what = remote_operation::atomic;
    add.word = atomic_operation::add;
    add.bytes = 8;
    add.target = owner;
    add.address = address;
    add.operand = 1;
    co_await remote(g.tiles[from]->network_adapter(), add);
    EXPECT_EQ(add.status, remote_outcome::done);
  }
}

/// An owner's hart: its AMOs are performed at the L2 or TLM, in turn.
process owner_adds(grid& g, std::uint32_t owner, std::uint64_t address, int times) {
  tile& home_tile = *g.tiles[owner];
  tile::place const where = home_tile.place_of(address);
  for (int i = 0; i < times; ++i) {
    std::byte* const at = home_tile.look_up(where, address, true);
    if (at == nullptr) {
      co_await g.clock.delay(5'000'000);
      transaction touch;  // brings the line
      touch.bytes = 8;
      touch.target = owner;
      touch.address = address;
      co_await remote(home_tile.network_adapter(), touch);
      --i;
      continue;
    }
    apply(atomic_operation::add, at, 8, 1);
    std::uint64_t const cycle = g.clock.now() / g.description.tile_clock_ps;
    co_await g.clock.until(home_tile.hit_cycle(where, cycle, 8) * g.description.tile_clock_ps);
  }
}

TEST(one_word, has_one_home_for_its_owner_and_all_others) {
  for (region_kind const kind : {region_kind::tlm, region_kind::partition, region_kind::partition_uncached}) {
    grid g(preset("nemesys-4x4"));
    std::uint64_t const address = g.map.of(kind, 6)->base + 72;
    std::uint64_t const own_name = kind == region_kind::tlm ? address : g.map.of(region_kind::partition, 6)->base + 72;
    for (std::uint32_t from = 0; from < 16; ++from) g.clock.start(adds(g, from, 6, address, 200));
    g.clock.start(owner_adds(g, 6, own_name, 2000));
    g.clock.run();
    std::uint64_t sum = 0;
    std::memcpy(&sum, g.tiles[6]->peek(own_name), 8);
    EXPECT_EQ(sum, 16U * 200 + 2000);
  }
}

std::uint64_t read_cached(grid& g, std::uint32_t from, std::uint64_t address) {
  moment there(g.clock);
  tile& one = *g.tiles[from];
  if (one.look_up(tile::place::l2, address, false) == nullptr) {
    one.l2().bring(address, there);
    g.clock.run();
  }
  std::uint64_t value = 0;
  std::memcpy(&value, one.look_up(tile::place::l2, address, false), 8);
  return value;
}

process writes_back(grid& g, std::uint32_t of, std::uint64_t address) {
  co_await g.tiles[of]->l2().write_back(address, 8, 1000);
}
process invalidates(grid& g, std::uint32_t of, std::uint64_t address) {
  co_await g.tiles[of]->l2().invalidate(address / 32 * 32, 32, 1000);
}

TEST(a_cached_view_of_another_partition, is_stale_until_written_back_there_and_invalidated_here) {
  grid g(preset("nemesys-4x4"));
  std::uint64_t const address = g.map.of(region_kind::partition, 2)->base + 4096;
  EXPECT_EQ(read_cached(g, 9, address), 0U);
  (void)read_cached(g, 2, address);
  std::uint64_t const value = 77;
  std::memcpy(g.tiles[2]->look_up(tile::place::l2, address, true), &value, 8);
  EXPECT_EQ(read_cached(g, 9, address), 0U) << "nothing told tile 9";
  g.clock.start(writes_back(g, 2, address));
  g.clock.run();
  EXPECT_EQ(read_cached(g, 9, address), 0U) << "memory has it, the copy does not";
  g.clock.start(invalidates(g, 9, address));
  g.clock.run();
  EXPECT_EQ(read_cached(g, 9, address), 77U);
}

process ask(grid& g, std::uint32_t from, transaction& request) {
  co_await remote(g.tiles[from]->network_adapter(), request);
}

TEST(a_transfer_between_partitions, goes_from_memory_to_memory) {
  grid g(preset("nemesys-4x4"));
  region const& from = *g.map.of(region_kind::partition, 0);
  region const& to = *g.map.of(region_kind::partition, 14);
  ASSERT_NE(from.memory_tile, to.memory_tile);
  auto& source = g.tiles[from.memory_tile]->memory()->bytes();
  for (std::uint64_t i = 0; i < 4096; ++i) *source.at(from.memory_offset + i) = static_cast<std::byte>(i * 3);
  transaction request;
  request.what = remote_operation::transfer;
  request.target = from.memory_tile;
  request.address = from.base;
  request.part = dma_transfer{.destination = to.base + 32, .destination_tile = to.memory_tile};
  request.bytes = 4096;
  picoseconds const start = g.clock.now();
  g.clock.start(ask(g, 9, request));
  g.clock.run();
  EXPECT_EQ(request.status, remote_outcome::done);
  auto& target = g.tiles[to.memory_tile]->memory()->bytes();
  for (std::uint64_t i = 0; i < 4096; ++i) {
    ASSERT_EQ(*target.at(to.memory_offset + 32 + i), static_cast<std::byte>(i * 3));
  }
  EXPECT_EQ(*target.at(to.memory_offset + 31), std::byte{0});
  EXPECT_EQ(*target.at(to.memory_offset + 32 + 4096), std::byte{0});
  // It cannot be faster than the link: four bytes a cycle.
  EXPECT_GT(g.clock.now() - start, 4096 / 4 * g.description.network_clock_ps);
}

/// Notifications to an L1.
struct told : snooper {
  void invalidate(std::uint64_t address, std::size_t bytes) override { ranges.emplace_back(address, bytes); }
  std::vector<std::pair<std::uint64_t, std::size_t>> ranges;
};

TEST(a_packet_of_a_transfer_to_a_tlm, drops_each_of_its_lines_where_an_l1_has_only_that) {
  grid g(preset("nemesys-2x2"));
  std::uint64_t const base = g.map.of(region_kind::tlm, 0)->base;
  std::uint64_t const line = g.description.l2.line_bytes;
  told first;
  told second;
  std::uint32_t const number_of_first = g.tiles[0]->attach(first);
  std::uint32_t const number_of_second = g.tiles[0]->attach(second);
  g.tiles[0]->filled(base, number_of_first);
  g.tiles[0]->filled(base + line, number_of_second);
  transaction request;
  request.what = remote_operation::transfer;
  request.target = 1;
  request.address = g.map.of(region_kind::tlm, 1)->base;
  request.part = dma_transfer{.destination = base, .destination_tile = 0};
  request.bytes = 2 * line;
  g.clock.start(ask(g, 1, request));
  g.clock.run();
  EXPECT_EQ(request.status, remote_outcome::done);
  EXPECT_EQ(first.ranges, (std::vector{std::pair(base, std::size_t{line})}));
  EXPECT_EQ(second.ranges, (std::vector{std::pair(base + line, std::size_t{line})}));
}

TEST(a_request, to_what_is_not_there_or_not_for_it_is_wrong) {
  grid g(preset("nemesys-2x2"));
  std::uint64_t const end = g.map.of(region_kind::tlm, 1)->end();
  for (std::uint64_t const address : {end - 4, g.map.of(region_kind::device, 1)->base + 4,
                                      g.map.of(region_kind::device, 1)->end() - 8, std::uint64_t{64}}) {
    transaction request;
    request.bytes = 8;
    request.target = 1;
    request.address = address;
    g.clock.start(ask(g, 0, request));
    g.clock.run();
    EXPECT_EQ(request.status, remote_outcome::wrong);
  }
}

}  // namespace
