// page_tables_test: what stands in memory are page tables as the privileged specification has them.
// Method: random touches, rights and releases of pages all over the addresses; then a walker of its own, written after
// 4.3.2 of the specification, reads all tables from the tile's memory. It finds the pages of a simple model, with their
// rights, each on a page of memory of its own.
#include "machine/mmu/page_tables.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

#include "machine/hart/hart.hpp"
#include "machine/tile/grid.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t reserved = 0x10000;

struct found {
  std::uint64_t physical;
  std::uint64_t bits;  ///< V, R, W, X, U, G, A, D: bits 0 to 7.
};

/// Sv39 of three levels, from the numbers of the specification alone.
class walker {
 public:
  walker(tile& at, std::uint64_t root) : tile_(at) { visit(root, 2, 0); }
  std::map<std::uint64_t, found> pages;   ///< By virtual page number; valid leaves.
  std::map<std::uint64_t, found> others;  ///< The same, entries that are not valid and not zero.
  std::multiset<std::uint64_t> physical;  ///< All of these have, and tables.

 private:
  void visit(std::uint64_t table, int level, std::uint64_t number) {
    physical.insert(table);
    for (std::uint64_t i = 0; i < 512; ++i) {
      std::uint64_t pte = 0;
      std::memcpy(&pte, tile_.peek(table + 8 * i), 8);
      std::uint64_t const page = number << 9U | i;
      std::uint64_t const target = (pte >> 10U & 0xfffffffffffU) << 12U;
      EXPECT_EQ(pte >> 54U, 0U) << "reserved bits";
      if (pte == 0) continue;
      bool const leaf = (pte & 0xeU) != 0;
      if ((pte & 1U) == 0) {
        EXPECT_EQ(level, 0);
        others[page] = {target, pte & 0xffU};
        physical.insert(target);
      } else if (leaf) {
        EXPECT_EQ(level, 0) << "no megapages";
        EXPECT_NE(pte & 6U, 4U) << "to be written and not read: reserved";
        pages[page] = {target, pte & 0xffU};
        physical.insert(target);
      } else {
        ASSERT_GT(level, 0);
        EXPECT_EQ(pte & 0xf0U, 0U) << "U, A and D are zero in entries that lead on";
        visit(target, level - 1, page);
      }
    }
  }
  tile& tile_;
};

machine_description small() {
  machine_description made = read_machine(std::string(TESS_MACHINES) + "/sifive-u74-mmu.toml");
  return made;
}

struct expected {
  std::uint64_t physical;
  std::uint8_t rights;
};

std::uint64_t bits_of(std::uint8_t rights) {
  // V, U, A; and R, W, X; D, if it may be written.
  std::uint64_t bits = 1U | 16U | 64U;
  if ((rights & right_read) != 0) bits |= 2U;
  if ((rights & right_write) != 0) bits |= 2U | 4U | 128U;
  if ((rights & right_execute) != 0) bits |= 8U;
  return bits;
}

TEST(page_tables_in_memory, are_those_of_the_specification) {
  grid g(small());
  tile& at = *g.tiles[0];
  local_window const window = g.description.window(0);
  page_tables tables(at, window, g.clock, g.description.tile_clock_ps, reserved);
  std::map<std::uint64_t, expected> model;
  std::mt19937_64 draw(39);
  constexpr std::uint64_t page_count = std::uint64_t{1} << 26U;  // of the lower half
  // Few tables, so that pages are neighbours.
  std::vector<std::uint64_t> areas{0x10, 0x1ff, page_count - 300};
  for (int i = 0; i < 5; ++i) areas.push_back(draw() % (page_count - 4096));
  auto const some_page = [&] { return areas[draw() % areas.size()] + draw() % 290; };
  constexpr std::uint8_t choices[] = {0,
                                      right_read,
                                      right_read | right_write,
                                      right_read | right_execute,
                                      right_read | right_write | right_execute,
                                      right_write};
  for (int turn = 0; turn < 6000; ++turn) {
    std::uint64_t const page = some_page();
    std::uint64_t const address = page << 12U | draw() % 4096;
    std::uint8_t const rights = choices[draw() % 6];
    std::uint64_t const end = page + draw() % 40;
    switch (draw() % 8) {
      case 0:
        tables.set_rights(page << 12U, end << 12U, rights);
        for (auto& [number, of] : model)
          if (number >= page && number < end) of.rights = rights;
        break;
      case 1:
        tables.release(page << 12U, end << 12U);
        std::erase_if(model, [&](auto const& one) { return one.first >= page && one.first < end; });
        break;
      default: {
        bool const known = model.contains(page);
        ASSERT_TRUE(tables.provide(address, rights));
        auto const physical = tables.physical(address);
        ASSERT_TRUE(physical);
        ASSERT_EQ(*physical % 4096, address % 4096);
        if (known) {
          ASSERT_EQ(*physical >> 12U << 12U, model[page].physical) << "it has memory already";
          break;
        }
        std::byte* const memory = at.peek(*physical >> 12U << 12U);
        ASSERT_EQ(*memory, std::byte{0}) << "memory of others is cleared";
        at.poke(*physical >> 12U << 12U, std::as_bytes(std::span(&page, 1)));
        model[page] = {*physical >> 12U << 12U, rights};
      }
    }
  }
  ASSERT_GT(model.size(), 300U);
  walker const seen(at, tables.root());
  std::size_t valid = 0;
  for (auto const& [page, of] : model) {
    if (of.rights == 0) {
      ASSERT_TRUE(seen.others.contains(page)) << page;
      EXPECT_EQ(seen.others.at(page).physical, of.physical);
      EXPECT_EQ(seen.others.at(page).bits, 0U);
    } else {
      ++valid;
      ASSERT_TRUE(seen.pages.contains(page)) << page;
      EXPECT_EQ(seen.pages.at(page).physical, of.physical);
      EXPECT_EQ(seen.pages.at(page).bits, bits_of(of.rights));
    }
    std::uint64_t written = 0;
    std::memcpy(&written, at.peek(of.physical), 8);
    EXPECT_EQ(written, page) << "it keeps what it has";
    EXPECT_EQ(tables.program_address(of.physical + 8), (page << 12U) + 8);
    std::uint64_t const local = *window.local(of.physical);
    EXPECT_GE(local, reserved);
    EXPECT_LT(local, window.program_bytes());
  }
  EXPECT_EQ(seen.pages.size(), valid);
  EXPECT_EQ(seen.others.size(), model.size() - valid);
  EXPECT_EQ(tables.pages_taken(), seen.physical.size()) << "nothing is lost";
  for (std::uint64_t const one : seen.physical) EXPECT_EQ(seen.physical.count(one), 1U) << "two have " << one;
}

TEST(page_tables_in_memory, end_when_memory_does) {
  machine_description made = small();
  grid g(made);
  local_window window = g.description.window(0);
  window.tail_bytes = 0;
  window.tlm_bytes = reserved + 20 * 4096;
  page_tables tables(*g.tiles[0], window, g.clock, g.description.tile_clock_ps, reserved);
  // The root, two more tables, and 17 pages.
  for (std::uint64_t page = 0; page < 17; ++page) ASSERT_TRUE(tables.provide(page << 12U, right_read)) << page;
  EXPECT_FALSE(tables.is_exhausted());
  EXPECT_FALSE(tables.provide(17U << 12U, right_read));
  EXPECT_TRUE(tables.is_exhausted());
  tables.release(3U << 12U, 4U << 12U);
  EXPECT_TRUE(tables.provide(17U << 12U, right_read));
  EXPECT_FALSE(tables.provide(std::uint64_t{1} << 35U, right_read)) << "it needs tables, too";
}

}  // namespace
}  // namespace tess::machine
