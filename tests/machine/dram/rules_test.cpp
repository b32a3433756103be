// rules_test: each DDR3 timing rule holds to the cycle, and only for the commands to which it applies.
//
// Method: one preceding command is issued, and the earliest cycle of the following one is queried. Comparing the exact
// cycle detects errors in both directions. Expected values are of DDR3-1600 11-11-11.
#include "machine/dram/rules.hpp"

#include <gtest/gtest.h>

namespace {

using tess::machine::ddr3_rules;
using tess::machine::dram_address;
using tess::machine::dram_command;
using tess::machine::dram_field;
using tess::machine::dram_parameters;
using tess::machine::dram_rules;
using tess::machine::locate;

constexpr dram_address here{.rank = 0, .bank = 0};
constexpr dram_address other_bank{.rank = 0, .bank = 1};
constexpr dram_address other_rank{.rank = 1, .bank = 0};

struct ddr3 : testing::Test {
  static dram_parameters made() {
    dram_parameters two;
    two.ranks = 2;
    return two;
  }
  dram_rules rules{made(), ddr3_rules(made().timing)};
  static constexpr std::uint64_t start = 1000;
};
using enum dram_command;

TEST_F(ddr3, opens_a_row_before_its_columns_and_closes_it_in_time) {
  rules.issue(activate, here, start);
  EXPECT_EQ(rules.earliest(read, here), start + 11);
  EXPECT_EQ(rules.earliest(write, here), start + 11);
  EXPECT_EQ(rules.earliest(precharge, here), start + 28);
  EXPECT_EQ(rules.earliest(activate, here), start + 39);
  EXPECT_EQ(rules.earliest(activate, other_bank), start + 5);
  EXPECT_EQ(rules.earliest(read, other_bank), 0U);
  EXPECT_EQ(rules.earliest(activate, other_rank), 0U);
  rules.issue(precharge, here, start + 28);
  EXPECT_EQ(rules.earliest(activate, here), start + 39);
  EXPECT_EQ(rules.earliest(refresh, here), start + 39);
}

TEST_F(ddr3, lets_four_activates_into_a_window_and_the_fifth_at_its_end) {
  for (std::uint32_t bank = 0; bank < 4; ++bank) rules.issue(activate, {.bank = bank}, start + bank * 5);
  EXPECT_EQ(rules.earliest(activate, {.bank = 4}), start + 24);
  rules.issue(activate, {.bank = 4}, start + 24);
  EXPECT_EQ(rules.earliest(activate, {.bank = 5}), start + 5 + 24);
  EXPECT_EQ(rules.earliest(activate, other_rank), 0U);
}

TEST_F(ddr3, keeps_bursts_apart_on_the_data_bus) {
  rules.issue(read, here, start);
  EXPECT_EQ(rules.earliest(read, other_bank), start + 4);
  EXPECT_EQ(rules.earliest(write, other_bank), start + 11 + 4 + 2 - 8);
  EXPECT_EQ(rules.earliest(precharge, here), start + 6);
  EXPECT_EQ(rules.earliest(precharge, other_bank), 0U);
  EXPECT_EQ(rules.earliest(read, other_rank), start + 4 + 2);
}

TEST_F(ddr3, waits_for_written_data) {
  rules.issue(write, here, start);
  EXPECT_EQ(rules.earliest(write, other_bank), start + 4);
  EXPECT_EQ(rules.earliest(read, other_bank), start + 8 + 4 + 6);
  EXPECT_EQ(rules.earliest(precharge, here), start + 8 + 4 + 12);
  EXPECT_EQ(rules.earliest(precharge_all, here), start + 8 + 4 + 12);
  EXPECT_EQ(rules.earliest(read, other_rank), start + 8 + 4 + 2 - 11);
}

TEST_F(ddr3, gives_a_refresh_its_time) {
  rules.issue(precharge_all, here, start);
  EXPECT_EQ(rules.earliest(refresh, here), start + 11);
  EXPECT_EQ(rules.earliest(activate, other_bank), start + 11);
  rules.issue(refresh, here, start + 11);
  EXPECT_EQ(rules.earliest(activate, other_bank), start + 11 + 280);
  EXPECT_EQ(rules.earliest(activate, other_rank), 0U);
}

TEST_F(ddr3, aborts_on_a_command_that_is_too_early) {
  rules.issue(activate, here, start);
  EXPECT_DEATH(rules.issue(read, here, start + 10), "earliest");
  rules.issue(read, here, start + 11);
}

TEST(an_address, is_cut_in_the_order_of_the_mapping) {
  dram_parameters made;
  made.ranks = 2;
  made.mapping = {dram_field::column, dram_field::rank, dram_field::bank, dram_field::row};
  auto const at = locate(made, 5 * 64 + 1 * 8192 + 3 * 2 * 8192 + std::uint64_t{9} * 8 * 2 * 8192 + 17);
  EXPECT_EQ(at.column, 5U);
  EXPECT_EQ(at.rank, 1U);
  EXPECT_EQ(at.bank, 3U);
  EXPECT_EQ(at.row, 9U);
  EXPECT_EQ(locate(made, made.size_bytes() + 64).column, 1U);
}

}  // namespace
