// programs_test: programs whose addresses are translated: what they print, what their TLBs miss, and what that takes.
// Method: a program that loads from as many pages as wanted, in turn, as often as wanted. Two runs differ by a number
// of rounds alone, so the differences of their counts are known by hand, for TLBs that are just large enough, and too
// small by one. Programs print what they print without translation.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "child.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

struct mmu {
  int dtlb = 40;
  int second = 0;
  int ways = 1;
  int cycles = 0;
  int walk_cache = 0;
  int fault = 1000;
};

std::string machine(mmu const& of, int quantum = 64) {
  std::string text = "extends = \"" TESS_MACHINES "/single-tile.toml\"\nname = \"m\"\nsummary = \"m\"\n";
  text += "harts.quantum_cycles = " + std::to_string(quantum) + "\ntile.local_tail_bytes = 67108864\n";
  // Enough for all lines of a page table and of the program.
  text += "l1_data.ways = 8\nl1_data.way_bytes = 8192\n[mmu]\nitlb_entries = 16\n";
  text += "dtlb_entries = " + std::to_string(of.dtlb) + "\nl2_tlb_entries = " + std::to_string(of.second) + "\n";
  if (of.second != 0)
    text += "l2_tlb_ways = " + std::to_string(of.ways) + "\nl2_tlb_cycles = " + std::to_string(of.cycles) + "\n";
  text += "walk_cache_entries = " + std::to_string(of.walk_cache) + "\n";
  return text + "page_fault_cycles = " + std::to_string(of.fault) + "\n";
}

nlohmann::json statistics(work_folder const& folder, std::string const& text, std::string const& words) {
  std::ofstream{folder.path() / "m.toml"} << text;
  outcome const done =
      folder.run(TESS_MACHINE " --quiet --stats s.json --machine m.toml -- '" + programs + "'/" + words);
  EXPECT_EQ(done.code, 0) << done.error;
  nlohmann::json all = nlohmann::json::parse(text_of(folder.path() / "s.json"));
  all.erase("host");
  all["printed"] = done.output;
  return all;
}

struct counts {
  std::int64_t cycles = 0;
  std::int64_t dtlb_misses = 0;
  std::int64_t l2_tlb_misses = 0;
  std::int64_t page_walks = 0;
  std::int64_t walk_cycles = 0;
  std::int64_t page_faults = 0;
  friend bool operator==(counts const&, counts const&) = default;
  friend void PrintTo(counts const& of, std::ostream* out) {
    *out << of.cycles << " cycles, misses " << of.dtlb_misses << ' ' << of.l2_tlb_misses << ", walks " << of.page_walks
         << " of " << of.walk_cycles << " cycles, faults " << of.page_faults;
  }
};

/// What `rounds` rounds count, beyond those of the first ten.
counts of_rounds(mmu const& of, int pages, int rounds) {
  work_folder const folder;
  auto const of_hart = [&](int count, char const* name) {
    auto const all =
        statistics(folder, machine(of), "paging " + std::to_string(pages) + " " + std::to_string(count))["harts"][0];
    return all[name].get<std::int64_t>();
  };
  auto const more = [&](char const* name) { return of_hart(10 + rounds, name) - of_hart(10, name); };
  return {more("cycles"),     more("dtlb_misses"), more("l2_tlb_misses"),
          more("page_walks"), more("walk_cycles"), more("page_faults")};
}

TEST(a_tlb_of_data, misses_every_page_if_there_is_one_more_than_entries) {
  // A page of the loop's own would be one more: there is none.
  counts const fits = of_rounds({.dtlb = 8}, 8, 50);
  EXPECT_EQ(fits, (counts{.cycles = fits.cycles}));
  counts const all = of_rounds({.dtlb = 9}, 9, 50);
  EXPECT_EQ(all, (counts{.cycles = all.cycles}));
  // Each walk reads three entries, which are in the L1: three cycles, and nothing else.
  constexpr std::int64_t misses = 50 * 9;
  EXPECT_EQ(
      of_rounds({.dtlb = 8}, 9, 50),
      (counts{
          .cycles = all.cycles + misses * 3, .dtlb_misses = misses, .page_walks = misses, .walk_cycles = misses * 3}));
}

TEST(a_second_tlb, spares_the_walks_of_what_it_has) {
  counts const all = of_rounds({.dtlb = 40}, 36, 20);
  constexpr std::int64_t misses = 20 * 36;
  EXPECT_EQ(of_rounds({.dtlb = 8, .second = 512, .cycles = 5}, 36, 20),
            (counts{.cycles = all.cycles + misses * 5, .dtlb_misses = misses}));
  // 36 pages one after another: in 32 sets of one way, four meet four others; in 16 sets of two, three pages meet in
  // each of four sets.
  constexpr std::int64_t meet = 20 * 8;
  EXPECT_EQ(of_rounds({.dtlb = 8, .second = 32, .cycles = 5}, 36, 20),
            (counts{.cycles = all.cycles + misses * 5 + meet * 3,
                    .dtlb_misses = misses,
                    .l2_tlb_misses = meet,
                    .page_walks = meet,
                    .walk_cycles = meet * 3}));
  constexpr std::int64_t three = 20 * 12;
  EXPECT_EQ(of_rounds({.dtlb = 8, .second = 32, .ways = 2, .cycles = 0}, 36, 20),
            (counts{.cycles = all.cycles + three * 3,
                    .dtlb_misses = misses,
                    .l2_tlb_misses = three,
                    .page_walks = three,
                    .walk_cycles = three * 3}));
}

TEST(a_cache_of_upper_entries, leaves_one_access_of_a_walk) {
  counts const all = of_rounds({.dtlb = 40}, 36, 20);
  constexpr std::int64_t misses = 20 * 36;
  counts const expected{
      .cycles = all.cycles + misses, .dtlb_misses = misses, .page_walks = misses, .walk_cycles = misses};
  EXPECT_EQ(of_rounds({.dtlb = 8, .walk_cache = 2}, 36, 20), expected);
  // With one entry, the second one that leads on always takes the place of the first.
  counts const one{
      .cycles = all.cycles + misses * 3, .dtlb_misses = misses, .page_walks = misses, .walk_cycles = misses * 3};
  EXPECT_EQ(of_rounds({.dtlb = 8, .walk_cache = 1}, 36, 20), one);
}

TEST(a_page_fault, takes_its_cycles_once_for_each_page) {
  work_folder const folder;
  auto const of_hart = [&](int pages, int fault, char const* name) {
    auto const all =
        statistics(folder, machine({.dtlb = 512, .fault = fault}), "paging " + std::to_string(pages) + " 1");
    return all["harts"][0][name].get<std::int64_t>();
  };
  EXPECT_EQ(of_hart(300, 1000, "page_faults") - of_hart(100, 1000, "page_faults"), 200);
  // The first access misses, and so does the same one when it is executed again.
  EXPECT_EQ(of_hart(300, 1000, "dtlb_misses") - of_hart(100, 1000, "dtlb_misses"), 400);
  std::int64_t const faults = of_hart(300, 1000, "page_faults");
  EXPECT_EQ(of_hart(300, 0, "page_faults"), faults);
  // Refreshes of the DRAM fall elsewhere.
  EXPECT_NEAR(static_cast<double>(of_hart(300, 1000, "cycles") - of_hart(300, 0, "cycles")),
              1000.0 * static_cast<double>(faults), 500);
}

TEST(a_reservation, may_be_larger_than_memory_and_costs_what_is_touched) {
  work_folder const folder;
  std::string const expected =
      "reserved 1\n"
      "more than there is memory, to write 0, and never all of it 1\n"
      "nothing may be done there: 2 2\n"
      "sum 258048, beside the chunks 2 2\n"  // 128 bytes each of 0 to 63
      "read only: 0 2\n"
      "hidden: 2 2\n"
      "again: 7 0\n"
      "forgotten: 1 0\n"
      "unmapped: 1 1, the page behind it 0\n"
      "mapped anew: 1 1\n"
      "used again, and zero: 1\n"
      "grown: 3 4 1\n"
      "across: 1, 6 5\n"
      "into untouched pages: 0, 6 5\n";
  for (mmu const& of : {mmu{}, mmu{.dtlb = 2}, mmu{.dtlb = 3, .second = 16, .ways = 16, .walk_cache = 4}}) {
    auto all = statistics(folder, machine(of), "reserving 64");
    EXPECT_EQ(all["printed"], expected);
    EXPECT_LT(all["harts"][0]["page_faults"].get<int>(), 26'000) << "of 16 million pages";
    // Nothing depends on how far harts run ahead.
    for (int const quantum : {1, 1024}) EXPECT_EQ(statistics(folder, machine(of, quantum), "reserving 64"), all);
  }
}

TEST(a_program_with_its_own_addresses, prints_what_it_prints_without) {
  work_folder const folder;
  std::ofstream{folder.path() / "coherent.toml"} << "extends = \"" TESS_MACHINES "/dir-4.toml\"\nname = \"coherent\"\n"
                                                 << machine({.dtlb = 4}).substr(machine({}).find("[mmu]"));
  for (char const* const name : {"containers", "exceptions", "threads"}) {
    auto const line = [&](std::string const& on) {
      outcome const done = folder.run(TESS_MACHINE " --quiet --machine " + on + " -- '" + programs + "'/" + name);
      return done.output + std::to_string(done.code);
    };
    std::string const usual = line("sifive-u74");
    EXPECT_EQ(line("sifive-u74-mmu"), usual) << name;
    std::ofstream{folder.path() / "m.toml"} << machine({.dtlb = 2, .fault = 0});
    EXPECT_EQ(line("m.toml"), usual) << name;
    if (std::string_view(name) != "threads") {
      EXPECT_EQ(line("coherent.toml"), usual) << name;
    }
  }
}

TEST(a_program_that_touches_too_much, ends_with_a_message) {
  work_folder const folder;
  std::ofstream{folder.path() / "m.toml"} << machine({});
  // 80 MiB of 64, and of the tile-local memory.
  outcome const done = folder.run(TESS_MACHINE " --quiet --machine m.toml -- '" + programs + "'/paging 20480 1");
  EXPECT_EQ(done.code, 1) << done.output;
  EXPECT_NE(done.error.find("the program has touched all "), std::string::npos) << done.error;
  EXPECT_NE(done.error.find("give it more by tile.local_tail_bytes"), std::string::npos) << done.error;
}

TEST(translation, is_refused_where_others_must_know_physical_addresses) {
  work_folder const folder;
  std::string const table = machine({}).substr(machine({}).find("[mmu]"));
  std::ofstream{folder.path() / "n.toml"} << "extends = \"" TESS_MACHINES "/nemesys-2x2.toml\"\nname = \"n\"\n"
                                          << table;
  outcome const system =
      folder.run(TESS_MACHINE " --quiet --machine n.toml --system kernel -- '" + programs + "'/hash");
  EXPECT_EQ(system.code, 2);
  EXPECT_NE(system.error.find("with addresses that [mmu] translates"), std::string::npos) << system.error;
  outcome const forward =
      folder.run(TESS_MACHINE " --quiet --machine sifive-u74-mmu --fast-forward-to 1000 -- '" + programs + "'/hash");
  EXPECT_EQ(forward.code, 2);
  EXPECT_NE(forward.error.find("page tables are not there"), std::string::npos) << forward.error;
  outcome const alone = folder.run(TESS_MACHINE " --quiet --copies 3 --machine n.toml -- '" + programs + "'/hash");
  EXPECT_EQ(alone.code, 0) << alone.error;
  outcome const runtime = folder.run(TESS_MACHINE " --quiet --machine n.toml -- '" + programs + "'/shmem_costs");
  EXPECT_EQ(runtime.code, 2);
  EXPECT_NE(runtime.error.find("is a program of the runtime"), std::string::npos) << runtime.error;
}

}  // namespace
}  // namespace tess::machine
