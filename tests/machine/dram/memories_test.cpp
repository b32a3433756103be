// memories_test: each memory of machines/memory has the times of its standard, and its rules hold to the cycle.
//
// Method: a table has the times as the standards state them, in ns and cycles, and is turned into cycles here; one
// preceding command is issued, and the earliest cycle of each following one is compared exactly, within a bank group
// and between groups, so errors in both directions are found. A stream of reads that stays in one bank group, and one
// that changes it, have the bandwidth that the rules allow.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <deque>

#include "machine/config/description.hpp"
#include "machine/dram/dram.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace

dram_parameters parameters_of(std::string const& memory) {
  std::string const text = "extends = \"nemesys-2x2\"\ndram.preset = \"" + memory + "\"\n";
  return parse_machine(text, std::string(TESS_MACHINES) + "/of_" + memory + ".toml").dram;
}

/// What a standard states: cycles, or ns, of which the larger counts. Names as in parameters.hpp.
struct published {
  std::string name;
  double clock_ns;
  double less;  ///< What rounding up forgives: DDR5 takes 0.3 % off first.
  std::uint32_t burst, groups, banks;
  std::uint32_t cl, cwl, ccd, ccd_l, ccd_l_write;
  double rcd, rp, rp_all, ras, rtp, wr;
  std::array<double, 2> rrd, rrd_l, faw, wtr, wtr_l;  ///< At least so many cycles, at least so many ns.
  std::uint32_t wtr_l_later = 0;                      ///< Cycles behind the data until wtr_l begins.
  std::uint32_t wr_later = 0;
  double rfc, refi;

  [[nodiscard]] std::uint32_t cycles(double ns) const {
    return static_cast<std::uint32_t>(std::ceil(ns * less / clock_ns - 1e-9));
  }
  [[nodiscard]] std::uint32_t cycles(std::array<double, 2> both) const {
    return std::max(static_cast<std::uint32_t>(both[0]), cycles(both[1]));
  }
};

// DDR4: JEDEC 79-4C. DDR5: 79-5B. LPDDR5: 209-5B, whose RTP is BL/n_min + nRBTP = 2 + 4 cycles. HBM2E: 235D, and
// DRAMsim3's HBM2 in ns.
std::vector<published> const memories{
    {"ddr4-3200", 0.625, 1,   4,  4,        16,       22,       16,       4,        8, 8, 13.75, 13.75,
     13.75,       32,    7.5, 15, {4, 2.5}, {4, 4.9}, {20, 21}, {2, 2.5}, {4, 7.5}, 0, 0, 350,   7800},
    {"ddr5-4800", 0.416, 0.997, 8,  8,      32,     40,           38,       8,        12, 24, 16,  16,
     16,          32,    7.5,   30, {8, 0}, {8, 5}, {32, 13.333}, {4, 2.5}, {16, 10}, 0,  0,  295, 3900},
    {"lpddr5-6400", 1.25, 1,      2,      4,       16,        17,      9, 2, 4,   4,   18, 18, 21, 42,
     7.5,           34,   {2, 5}, {2, 5}, {4, 20}, {4, 6.25}, {4, 12}, 2, 1, 280, 3906},
    {"hbm2e-3200", 0.625, 1, 2,  4,      16,     23,      7,      2,      4, 4, 14,  14,
     14,           34,    6, 16, {0, 4}, {0, 6}, {0, 30}, {0, 6}, {0, 8}, 0, 0, 350, 3900},
};

class every_memory : public testing::TestWithParam<published> {
 protected:
  published const& is = GetParam();
  dram_parameters const made = parameters_of(is.name);
  static constexpr std::uint64_t start = 10'000;
  dram_address const here{.rank = 0, .bank = 0};
  dram_address const same_group{.rank = 0, .bank = is.groups};  // banks are in groups in turn
  dram_address const other_group{.rank = 0, .bank = 1};

  /// The earliest `following` at `where` behind one `preceding` here.
  [[nodiscard]] std::uint64_t behind(dram_command preceding, dram_command following, dram_address const& where) const {
    dram_rules rules(made, rules_of(made));
    rules.issue(preceding, here, start);
    std::uint64_t const at = rules.earliest(following, where);
    return at == 0 ? 0 : at - start;
  }
};
using enum dram_command;

TEST_P(every_memory, has_the_shape_and_the_clock_of_its_standard) {
  EXPECT_EQ(made.timing.clock_ps, static_cast<picoseconds>(std::lround(is.clock_ns * 1000)));
  EXPECT_EQ(made.groups, is.groups);
  EXPECT_EQ(made.banks, is.banks);
  EXPECT_EQ(made.timing.burst, is.burst);
  EXPECT_EQ(made.timing.refi, static_cast<std::uint32_t>(is.refi / is.clock_ns + 1e-9)) << "at most";
}

TEST_P(every_memory, opens_and_closes_rows_in_time) {
  EXPECT_EQ(behind(activate, read, here), is.cycles(is.rcd));
  EXPECT_EQ(behind(activate, write, here), is.cycles(is.rcd));
  EXPECT_EQ(behind(activate, precharge, here), is.cycles(is.ras));
  EXPECT_EQ(behind(activate, activate, here), is.cycles(is.ras) + is.cycles(is.rp));
  EXPECT_EQ(behind(precharge, activate, here), is.cycles(is.rp));
  EXPECT_EQ(behind(precharge, activate, other_group), 0U);
  EXPECT_EQ(behind(precharge_all, activate, other_group), is.cycles(is.rp_all));
  EXPECT_EQ(behind(precharge_all, refresh, here), is.cycles(is.rp_all));
  EXPECT_EQ(behind(read, precharge, here), is.cycles(is.rtp));
  EXPECT_EQ(behind(write, precharge, here), is.cwl + is.burst + is.cycles(is.wr) + is.wr_later);
  EXPECT_EQ(behind(write, precharge, other_group), 0U);
}

TEST_P(every_memory, activates_sooner_in_another_group) {
  EXPECT_EQ(behind(activate, activate, same_group), is.cycles(is.rrd_l));
  EXPECT_EQ(behind(activate, activate, other_group), is.cycles(is.rrd));
  dram_rules rules(made, rules_of(made));
  std::uint64_t at = start;
  for (std::uint32_t bank = 0; bank < 4; ++bank) {
    at = std::max(at, rules.earliest(activate, {.bank = bank}));
    rules.issue(activate, {.bank = bank}, at);
  }
  std::uint64_t const fifth = std::max(start + is.cycles(is.faw), at + is.cycles(is.rrd));
  EXPECT_EQ(rules.earliest(activate, {.bank = is.groups + 2}),
            std::max(fifth, start + 2 * is.cycles(is.rrd) + is.cycles(is.rrd_l)));
}

TEST_P(every_memory, moves_data_sooner_from_another_group) {
  EXPECT_EQ(behind(read, read, same_group), is.ccd_l);
  EXPECT_EQ(behind(read, read, here), is.ccd_l);
  EXPECT_EQ(behind(read, read, other_group), is.ccd);
  EXPECT_EQ(behind(write, write, same_group), is.ccd_l_write);
  EXPECT_EQ(behind(write, write, other_group), is.ccd);
  EXPECT_EQ(behind(write, read, same_group), is.cwl + is.burst + is.cycles(is.wtr_l) + is.wtr_l_later);
  EXPECT_EQ(behind(write, read, other_group), is.cwl + is.burst + is.cycles(is.wtr));
  std::uint64_t const turned = is.cl + is.burst + made.timing.rtrs;
  EXPECT_EQ(behind(read, write, other_group), turned > is.cwl ? turned - is.cwl : 1);
}

TEST_P(every_memory, is_refreshed_for_as_long_as_its_chips_need) {
  EXPECT_EQ(behind(refresh, activate, other_group), is.cycles(is.rfc));
  EXPECT_EQ(behind(refresh, refresh, here), is.cycles(is.rfc));
}

TEST_P(every_memory, aborts_on_a_command_that_is_a_cycle_too_early) {
  dram_rules rules(made, rules_of(made));
  rules.issue(read, here, start);
  EXPECT_DEATH(rules.issue(read, same_group, start + is.ccd_l - 1), "earliest");
  rules.issue(read, same_group, start + is.ccd_l);
  EXPECT_DEATH(rules.issue(read, other_group, start + is.ccd_l + is.ccd - 1), "earliest");
  rules.issue(read, other_group, start + is.ccd_l + is.ccd);
}

/// Reads one after the other, with the queue always full.
struct reader : event {
  reader(kernel& k_, dram& memory_, std::uint64_t stride_)
      : event([](event& self) { static_cast<reader&>(self).more(); }), k(k_), memory(memory_), stride(stride_) {}
  void more() {
    while (memory.try_access(next, false, done.emplace_back())) {
      next += stride;
      ++reads;
    }
    done.pop_back();
    memory.tell_of_room(*this);
  }
  struct nothing : event {
    nothing() : event([](event&) {}) {}
  };
  std::deque<nothing> done;
  kernel& k;
  dram& memory;
  std::uint64_t stride;
  std::uint64_t next = 0;
  std::uint64_t reads = 0;
};

TEST_P(every_memory, has_the_bandwidth_that_its_groups_allow) {
  auto const share = [&](std::uint64_t stride) {
    kernel k(made.timing.clock_ps);
    dram memory(k, made);
    reader all(k, memory, stride);
    k.after(0, all);
    constexpr std::uint64_t duration_ps = 100'000'000;
    k.run_until(duration_ps);
    return static_cast<double>(memory.counted().busy_cycles) * static_cast<double>(made.timing.clock_ps) / duration_ps;
  };
  double const free = 1 - static_cast<double>(made.timing.rfc) / made.timing.refi;  // of refreshes
  EXPECT_GT(share(made.access_bytes), 0.9 * free) << "neighbours are in other groups";
  EXPECT_LE(share(made.access_bytes), free + 0.01);
  // Always the same bank: the columns of its rows.
  double const one_group = free * is.burst / is.ccd_l;
  EXPECT_LE(share(made.access_bytes * made.banks), one_group + 0.01);
  EXPECT_GT(share(made.access_bytes * made.banks), 0.6 * one_group);
}

INSTANTIATE_TEST_SUITE_P(of_machines, every_memory, testing::ValuesIn(memories), [](auto const& of) {
  std::string name = of.param.name;
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name;
});

TEST(ddr3_1600, is_the_memory_of_nemesys) {
  dram_parameters const one = parameters_of("ddr3-1600");
  dram_parameters const other = read_machine(TESS_MACHINES "/nemesys-4x4.toml").dram;
  EXPECT_EQ(one.groups, 1U);
  EXPECT_EQ(one.size_bytes(), other.size_bytes());
  EXPECT_EQ(one.mapping, other.mapping);
  EXPECT_EQ(one.timing.clock_ps, other.timing.clock_ps);
  auto const rules = rules_of(one);
  auto const others = rules_of(other);
  ASSERT_EQ(rules.size(), others.size());
  for (std::size_t i = 0; i < rules.size(); ++i) EXPECT_EQ(rules[i].cycles, others[i].cycles);
}

TEST(a_preset_of_dram, takes_the_place_of_the_bases_memory_and_yields_to_the_tables_own_keys) {
  std::string const near = std::string(TESS_MACHINES) + "/m.toml";
  dram_parameters const made =
      parse_machine("extends = \"nemesys-2x2\"\n[dram]\npreset = \"ddr4-3200\"\nqueue_entries = 7\n", near).dram;
  EXPECT_EQ(made.queue_entries, 7U);
  EXPECT_EQ(made.timing.cl, 22U);
  EXPECT_EQ(made.groups, 4U);
  auto const said = [&](std::string const& text) -> std::string {
    try {
      (void)parse_machine("extends = \"nemesys-2x2\"\n[dram]\n" + text, near);
    } catch (config_error const& wrong) {
      return wrong.what();
    }
    return "no error";
  };
  EXPECT_NE(said("preset = \"ddr9\"\n").find("m.toml:3:10: there is no memory \"ddr9\"; expected one of "),
            std::string::npos)
      << said("preset = \"ddr9\"\n");
  EXPECT_NE(said("preset = 4\n").find("m.toml:3:10: preset is no text"), std::string::npos);
  EXPECT_NE(said("preset = \"ddr4-3200\"\nbank_groups = 3\n").find("m.toml:4:15: 16 banks are not in 3 equal groups"),
            std::string::npos)
      << said("preset = \"ddr4-3200\"\nbank_groups = 3\n");
  EXPECT_NE(said("preset = \"ddr4-3200\"\nccd_l = 3\n").find("m.toml:4:9: ccd_l = 3 is impossible; expected 4 to"),
            std::string::npos)
      << said("preset = \"ddr4-3200\"\nccd_l = 3\n");
  EXPECT_NE(said("bank_groups = 2\n").find("no key \"dram.ccd_l\""), std::string::npos) << said("bank_groups = 2\n");
}

}  // namespace
