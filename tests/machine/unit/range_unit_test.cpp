// range_unit_test: the result of ringing the doorbell, and that the end of a command is counted and notified once.
// Method: the grid of a preset without harts; stores to the windows as harts would issue them.
#include "machine/unit/range_unit.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "../at_rest.hpp"
#include "../with_hardware.hpp"
#include "machine/tile/grid.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
namespace ranges = registers::ranges;

class a_range_unit : public testing::Test {
 protected:
  // Four harts submit at once: each has a window of its own.
  std::uint64_t command(std::uint32_t hart, std::uint64_t operation, std::uint64_t address, std::uint64_t bytes,
                        std::uint64_t counter) {
    std::uint64_t const window = hart * registers::window_bytes;
    EXPECT_TRUE(unit.store(window + ranges::counter, counter, hart));
    EXPECT_TRUE(unit.store(window + ranges::bytes, bytes, hart));
    EXPECT_TRUE(unit.store(window + ranges::operation, operation, hart));
    EXPECT_TRUE(unit.store(window + ranges::address, address, hart));
    EXPECT_TRUE(unit.store(window + ranges::doorbell, 1, hart));
    return *unit.load(window + ranges::doorbell, hart);
  }
  void put(std::uint64_t address, std::uint64_t value) { std::memcpy(home.peek(address), &value, sizeof value); }
  std::uint64_t word(std::uint64_t address) {
    std::uint64_t value = 0;
    std::memcpy(&value, home.peek(address), sizeof value);
    return value;
  }

  grid g{with_hardware(read_machine(TESS_MACHINES "/nemesys-2x2.toml"))};
  tile& home = *g.tiles[0];
  range_unit& unit = g.units[0]->ranges;
  std::uint64_t partition = g.map.of(region_kind::partition, 0)->base;
  std::uint64_t tlm = g.map.of(region_kind::tlm, 0)->base;
};

TEST_F(a_range_unit, counts_the_commands_of_four_harts_and_notifies_of_the_last) {
  put(tlm, 4);
  put(tlm + 16, tlm + 4096);
  put(tlm + 24, 77);
  for (std::uint32_t hart = 0; hart < 4; ++hart) {
    std::uint64_t const operation = hart + ranges::write_back;  // all four there are
    EXPECT_EQ(command(hart, operation, partition + hart * 64, 64, tlm), ranges::accepted);
  }
  EXPECT_EQ(word(tlm + 4096), 0U);
  g.clock.run();
  EXPECT_EQ(word(tlm), 0U);
  EXPECT_EQ(word(tlm + 4096), 77U);
  expect_at_rest(g);
}

TEST_F(a_range_unit, serves_one_command_after_the_other_and_visits_a_line_for_two_cycles) {
  // No line is cached, so nothing is awaited: 128 and 3 lines; the last command has one edge in a further line.
  put(tlm, 1);
  put(tlm + 32, 1);
  picoseconds const cycle = g.description.tile_clock_ps;
  EXPECT_EQ(command(0, ranges::flush, partition, 4096, tlm), ranges::accepted);
  EXPECT_EQ(command(1, ranges::invalidate, partition + 16384 + 16, 64, tlm + 32), ranges::accepted);
  g.clock.run_until(128 * 2 * cycle - 1);
  EXPECT_EQ(word(tlm), 1U);
  g.clock.run_until(128 * 2 * cycle + 5 * cycle);
  EXPECT_EQ(word(tlm), 0U);
  EXPECT_EQ(word(tlm + 32), 1U);
  g.clock.run_until((128 + 3) * 2 * cycle + 25 * cycle);
  EXPECT_EQ(word(tlm + 32), 0U);
}

TEST_F(a_range_unit, queues_four_commands_besides_the_one_that_it_serves) {
  EXPECT_EQ(command(0, ranges::flush, partition, 4096, 0), ranges::accepted);
  g.clock.run_until(2 * g.description.tile_clock_ps);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(command(i % 2, ranges::flush, partition, 4096, 0), ranges::accepted);
  EXPECT_EQ(command(2, ranges::flush, partition, 4096, 0), ranges::full);
  g.clock.run();
  EXPECT_EQ(command(2, ranges::flush, partition, 4096, 0), ranges::accepted);
}

TEST_F(a_range_unit, refuses_ranges_outside_of_the_caches) {
  std::uint64_t const end = g.map.of(region_kind::partition, 0)->end();
  EXPECT_EQ(command(0, 0, partition, 64, 0), ranges::wrong);
  EXPECT_EQ(command(0, 5, partition, 64, 0), ranges::wrong);
  EXPECT_EQ(command(0, ranges::flush, partition, 0, 0), ranges::wrong);
  EXPECT_EQ(command(0, ranges::flush, end - 32, 64, 0), ranges::wrong);
  EXPECT_EQ(command(0, ranges::flush, partition, ~std::uint64_t{0}, 0), ranges::wrong);
  EXPECT_EQ(command(0, ranges::flush, tlm, 64, 0), ranges::wrong);
  EXPECT_EQ(command(0, ranges::invalidate_l1s, tlm, 64, 0), ranges::accepted);
  EXPECT_EQ(command(1, ranges::flush, partition, 64, tlm + 4), ranges::wrong);
  EXPECT_EQ(command(1, ranges::flush, partition, 64, registers::own_devices - 8), ranges::wrong);
  g.clock.run();
  EXPECT_FALSE(unit.store(40, 0, 0));
  EXPECT_FALSE(unit.store(64 * registers::window_bytes, 0, 0));
  EXPECT_EQ(unit.load(64 * registers::window_bytes, 0), std::nullopt);
}

TEST(a_range_unit_of_translated_programs, knows_physical_addresses_only) {
  machine_description described = read_machine(TESS_MACHINES "/nemesys-2x2.toml");
  described.mmu.emplace();
  grid g{with_hardware(described)};
  range_unit& unit = g.units[0]->ranges;
  std::uint64_t const partition = g.map.of(region_kind::partition, 0)->base;
  auto const ring = [&](std::uint64_t address, std::uint64_t counter) {
    (void)unit.store(ranges::operation, ranges::flush, 0);
    (void)unit.store(ranges::bytes, 64, 0);
    (void)unit.store(ranges::address, address, 0);
    (void)unit.store(ranges::counter, counter, 0);
    (void)unit.store(ranges::doorbell, 1, 0);
    return *unit.load(ranges::doorbell, 0);
  };
  std::uint64_t const own = described.tlm_bytes;  // the first byte of the tail in the program's window
  EXPECT_EQ(ring(own, 0), ranges::wrong);
  EXPECT_EQ(ring(partition, 64), ranges::wrong);
  EXPECT_EQ(ring(partition, 0), ranges::accepted);
  g.clock.run();
}

}  // namespace
