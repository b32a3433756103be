// prefetch_test: prefetched lines make loads with a stride faster, change no result, and depend on no quantum.
// Method: the table of loads alone, whose wanted lines are known; a program that loads words equally far apart, or in a
// random order, on a machine with and without prefetchers.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "child.hpp"
#include "machine/cache/stride_prefetcher.hpp"

namespace tess::machine {
namespace {

std::vector<std::uint64_t> missed(stride_prefetcher& by, std::uint64_t pc, std::uint64_t address) {
  auto const wanted = by.missed(pc, address);
  return {wanted.begin(), wanted.end()};
}
using lines = std::vector<std::uint64_t>;

TEST(a_table_of_loads, wants_lines_when_a_stride_has_come_twice) {
  stride_prefetcher table{{.entries = 4, .degree = 2, .outstanding = 8}, 32};
  EXPECT_EQ(missed(table, 0x100, 0x1000), lines{});
  EXPECT_EQ(missed(table, 0x100, 0x1040), lines{}) << "the first distance";
  EXPECT_EQ(missed(table, 0x100, 0x1080), (lines{0x10c0, 0x1100}));
  EXPECT_EQ(missed(table, 0x100, 0x10c0), (lines{0x1100, 0x1140}));
  EXPECT_EQ(missed(table, 0x100, 0x1200), lines{}) << "another distance";
  EXPECT_EQ(missed(table, 0x100, 0x1210), lines{});
  EXPECT_EQ(missed(table, 0x100, 0x1220), (lines{0x1240, 0x1260})) << "short ones are of lines";
  EXPECT_EQ(missed(table, 0x100, 0x1220), lines{}) << "it does not move";
}

TEST(a_table_of_loads, goes_backward_and_stays_within_a_page) {
  stride_prefetcher table{{.entries = 4, .degree = 3, .outstanding = 8}, 64};
  EXPECT_EQ(missed(table, 0x100, 0x2108), lines{});
  EXPECT_EQ(missed(table, 0x100, 0x20c8), lines{});
  EXPECT_EQ(missed(table, 0x100, 0x2088), (lines{0x2040, 0x2000})) << "0x1fc8 is in another page";
}

TEST(a_table_of_loads, has_an_entry_for_each_load) {
  stride_prefetcher table{{.entries = 4, .degree = 1, .outstanding = 8}, 32};
  for (std::uint64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(missed(table, 0x100, 0x1000 + 32 * i), lines{});
    EXPECT_EQ(missed(table, 0x102, 0x5000 + 64 * i), lines{});
  }
  EXPECT_EQ(missed(table, 0x100, 0x1040), lines{0x1060});
  EXPECT_EQ(missed(table, 0x102, 0x5080), lines{0x50c0});
  EXPECT_EQ(missed(table, 0x108, 0x5080), lines{}) << "it takes the place of the first one";
  EXPECT_EQ(missed(table, 0x100, 0x1060), lines{}) << "which begins anew";
}

struct told {
  std::string printed;
  nlohmann::json all;
  [[nodiscard]] double cycles() const { return all["cycles"].get<double>(); }
  [[nodiscard]] std::uint64_t tile(char const* name) const { return all["tiles"][0][name].get<std::uint64_t>(); }
};

told run(std::string const& words, std::string const& table, int quantum = 64) {
  work_folder const folder;
  // An L2 of 32 KiB.
  std::ofstream{folder.path() / "m.toml"} << "extends = \"nemesys-2x2\"\n[harts]\nquantum_cycles = " << quantum
                                          << "\n[l2]\nway_bytes = 8192\n"
                                          << table;
  outcome const result = folder.run(
      TESS_MACHINE " --quiet --stats s.json --machine m.toml -- '" TESS_MACHINE_PROGRAMS "/strided' " + words);
  EXPECT_EQ(result.code, 0) << result.error;
  told made{result.output, nlohmann::json::parse(text_of(folder.path() / "s.json"))};
  made.all.erase("host");
  return made;
}

std::string const table = "[prefetcher]\nentries = 16\ndegree = 4\noutstanding = 8\n";

TEST(a_prefetcher, brings_the_lines_of_a_stride) {
  // The lines are 128 KiB: what was written first has left the L2 when it is loaded.
  told const without = run("160 4096", "");
  told const with = run("160 4096", table);
  EXPECT_EQ(with.printed, without.printed);
  EXPECT_LT(with.cycles(), 0.9 * without.cycles());
  EXPECT_EQ(without.tile("l2_prefetches"), 0U);
  std::uint64_t const all = with.tile("l2_prefetches");
  std::uint64_t const known = with.tile("l2_prefetches_useful") + with.tile("l2_prefetches_late");
  EXPECT_GT(all, 3000U);
  EXPECT_LE(known + with.tile("l2_prefetches_useless"), all);
  EXPECT_GT(known, all * 9 / 10);
}

TEST(a_prefetcher, wants_nothing_of_an_order_that_nobody_knows) {
  told const with = run("0 4096", table);
  EXPECT_LT(with.tile("l2_prefetches"), 50U);
}

TEST(a_prefetcher, has_as_many_lines_on_their_way_as_it_may) {
  told const few = run("160 4096", "[prefetcher]\nentries = 16\ndegree = 8\noutstanding = 1\n");
  EXPECT_GT(few.tile("l2_prefetches_dropped"), few.tile("l2_prefetches"));
}

TEST(a_prefetcher, is_the_same_however_far_harts_run_ahead) {
  told const usual = run("160 1000", table);
  for (int const quantum : {1, 7, 1024}) EXPECT_EQ(run("160 1000", table, quantum).all, usual.all) << quantum;
}

}  // namespace
}  // namespace tess::machine
