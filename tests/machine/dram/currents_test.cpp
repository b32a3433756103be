// currents_test: the energy of a channel follows from its chips' currents, its commands, and the time of open rows.
// Method: each command by hand; a channel that is driven past refreshes, with and without anything after them.
#include "machine/dram/currents.hpp"

#include <gtest/gtest.h>

#include "machine/config/description.hpp"
#include "machine/dram/dram.hpp"

namespace tess::machine {
namespace {

dram_parameters ddr3() {
  return read_machine(TESS_MACHINES "/nemesys-4x4.toml").dram;
}

TEST(energy_of_a_dram, is_that_of_its_currents) {
  dram_parameters const of = ddr3();
  EXPECT_EQ(of.currents.idd0_ma, 70U);
  // By hand, in mA and cycles: times 1.25 ns, 1.5 V and 8 chips each is 15 pJ.
  constexpr std::uint64_t each = 15'000;
  EXPECT_EQ(dram_energy_fj(of, {.activates = 1}), (70 * 39 - 45 * 28 - 45 * 11) * each);
  EXPECT_EQ(dram_energy_fj(of, {.reads = 1}), (140 - 45) * 4 * each);
  EXPECT_EQ(dram_energy_fj(of, {.writes = 1}), (145 - 45) * 4 * each);
  EXPECT_EQ(dram_energy_fj(of, {.refreshes = 1}), (170 - 45) * 88 * each);
  EXPECT_EQ(dram_energy_fj(of, {.rank_cycles = 1000}), 45 * 1000 * each);
  dram_parameters apart = of;
  apart.currents.idd3n_ma = 55;
  EXPECT_EQ(dram_energy_fj(apart, {.open_cycles = 300, .rank_cycles = 1000}), (55 * 300 + 45 * 700) * each);
  dram_parameters unknown = of;
  unknown.currents = {};
  EXPECT_EQ(dram_energy_fj(unknown, {.activates = 1, .rank_cycles = 1000}), 0U);
}

struct nothing : event {
  nothing() : event([](event&) {}) {}
};

TEST(activity_of_a_dram, is_counted_with_the_time_that_rows_are_open) {
  dram_parameters const of = ddr3();
  kernel k(of.timing.clock_ps);
  dram channel(k, of);
  nothing done;
  ASSERT_TRUE(channel.try_access(0, false, done));
  ASSERT_TRUE(channel.try_access(64, true, done));
  nothing later;
  k.at(100 * of.timing.clock_ps, later);
  k.run();
  dram_activity const before = channel.activity();
  EXPECT_EQ(before.activates, 1U);
  EXPECT_EQ(before.reads, 1U);
  EXPECT_EQ(before.writes, 1U);
  EXPECT_EQ(before.refreshes, 0U);
  EXPECT_EQ(before.rank_cycles, 100U);
  EXPECT_GE(before.open_cycles, 98U) << "the row is opened in the first cycles";
  EXPECT_LE(before.open_cycles, 100U);
  std::uint64_t const opened = 100 - before.open_cycles;
  // The first refresh closes it, whether anything comes after that or not.
  k.at(std::uint64_t{3} * of.timing.refi * of.timing.clock_ps + of.timing.clock_ps, later);
  k.run();
  dram_activity const idle = channel.activity();
  EXPECT_EQ(idle.refreshes, 3U);
  EXPECT_EQ(idle.open_cycles, of.timing.refi - opened);
  ASSERT_TRUE(channel.try_access(0, false, done));
  k.run();
  dram_activity const again = channel.activity();
  EXPECT_EQ(again.refreshes, 3U);
  EXPECT_EQ(again.activates, 2U);
  EXPECT_GE(again.open_cycles, idle.open_cycles);
  EXPECT_LT(again.open_cycles, idle.open_cycles + 100);
}

}  // namespace
}  // namespace tess::machine
