// ports_test: what a unit of one's own asks for is done, in the tile, at other tiles and in memory, and what cannot be
// done is refused.
// Method: the unit `ports` in every tile of a preset's grid without harts: stores to its registers make requests; what
// they change is read without time.
#include <gtest/gtest.h>

#include <filesystem>

#include "../at_rest.hpp"
#include "../child.hpp"
#include "machine/own_unit/unit_file.hpp"
#include "machine/tile/grid.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace

machine_description with_ports(std::string const& machine, std::string const& more = "") {
  return parse_machine("extends = \"" TESS_MACHINES "/" + machine +
                           ".toml\"\n[[unit]]\nfile = \"" TESS_TEST_UNITS "/ports.so\"\nat = \"every tile\"\n" + more,
                       "test.toml");
}

enum request : std::uint64_t {
  read,
  write,
  modify,
  compare_swap,
  prefetch,
  has,
  read_memory,
  write_memory,
  put,
  send,
  acknowledge,
  interrupt,
  task,
  push
};

class a_unit : public testing::Test {
 protected:
  explicit a_unit(machine_description const& of = with_ports("nemesys-2x2")) : g(of) {}

  own_unit& unit(std::uint32_t tile) { return *g.units[tile]->own.front(); }
  std::uint64_t value(std::uint32_t tile, std::uint64_t number) { return *unit(tile).load(8 * number, 0); }
  /// Makes the request and runs to its end: register 8. `wrong`: whether it is to be.
  std::uint64_t ask(std::uint32_t tile, request what, std::vector<std::uint64_t> const& arguments, bool wrong = false) {
    std::uint64_t const before = value(tile, 7);
    for (std::size_t i = 0; i < arguments.size(); ++i) EXPECT_TRUE(unit(tile).store(8 * i, arguments[i], 0));
    EXPECT_TRUE(unit(tile).store(40, what, 0));
    g.clock.run();
    EXPECT_EQ(g.watch.trouble(), "");
    EXPECT_EQ(value(tile, 6), ++asked[tile]);
    EXPECT_EQ(value(tile, 7) - before, wrong ? 1U : 0U) << "request " << what;
    return value(tile, 8);
  }
  std::uint64_t& word(std::uint64_t address, std::uint32_t tile = 0) {
    return *reinterpret_cast<std::uint64_t*>(g.tiles[tile]->peek(address));
  }
  std::uint64_t in_memory(std::uint64_t address) {
    region const& in = *g.map.find(address);
    std::uint64_t found = 0;
    std::memcpy(&found, g.tiles[in.memory_tile]->memory()->bytes().at(in.memory_offset + (address - in.base)), 8);
    return found;
  }

  grid g;
  std::array<std::uint64_t, 4> asked{};
  std::uint64_t tlm = g.map.of(region_kind::tlm, 0)->base;
  std::uint64_t tlm_of_1 = g.map.of(region_kind::tlm, 1)->base;
  std::uint64_t partition = g.map.of(region_kind::partition, 0)->base;
};

TEST_F(a_unit, reads_and_writes_by_the_bus_where_harts_do) {
  word(tlm + 64) = 42;
  EXPECT_EQ(ask(0, read, {tlm + 64, 8}), 42U);
  EXPECT_EQ(ask(0, read, {64, 8}), 42U) << "the same by the local window";
  ask(0, write, {tlm + 72, 8, 43});
  EXPECT_EQ(word(tlm + 72), 43U);
  ask(0, write, {partition + 8, 8, 44});
  EXPECT_EQ(word(partition + 8), 44U);
  EXPECT_EQ(in_memory(partition + 8), 0U) << "the L2 has it";
  EXPECT_EQ(g.tiles[0]->l2().counted().misses, 1U);
  EXPECT_EQ(ask(0, read, {partition + 8, 8}), 44U);
  EXPECT_EQ(g.tiles[0]->l2().counted().misses, 1U);
  ask(0, write, {tlm_of_1 + 16, 8, 45});
  EXPECT_EQ(word(tlm_of_1 + 16, 1), 45U) << "a word at another tile";
  EXPECT_EQ(ask(0, read, {tlm_of_1 + 16, 8}), 45U);
  ask(0, read, {0x7777'0000'0000, 8}, true);
  ask(0, read, {std::uint64_t{1} << 39U, 8}, true);
  expect_at_rest(g);
}

TEST_F(a_unit, takes_the_time_of_the_bus_and_of_a_miss) {
  picoseconds const period = g.description.tile_clock_ps;
  auto const took = [&](std::uint64_t address) {
    picoseconds const begin = g.clock.now();
    ask(0, read, {address, 8});
    return (g.clock.now() - begin) / period;
  };
  EXPECT_EQ(took(tlm), g.description.tlm_access_cycles);
  std::uint64_t const miss = took(partition);
  EXPECT_GT(miss, 50U);
  EXPECT_EQ(took(partition), g.description.l2_hit_cycles);
  EXPECT_EQ(took(partition + 4096), miss);
}

TEST_F(a_unit, changes_words_at_their_homes) {
  for (std::uint64_t const address :
       {tlm + 8, tlm_of_1 + 8, partition + 128, g.map.of(region_kind::partition, 1)->base}) {
    EXPECT_EQ(ask(0, modify, {address, 8, 5, 1}), 0U) << "add";
    EXPECT_EQ(ask(0, modify, {address, 8, 9, 0}), 5U) << "swap";
    EXPECT_EQ(ask(0, modify, {address, 8, 3, 7}), 9U) << "minu";
    EXPECT_EQ(ask(0, compare_swap, {address, 8, 11, 4}), 3U) << "not what is there";
    EXPECT_EQ(ask(0, compare_swap, {address, 8, 11, 3}), 3U);
    EXPECT_EQ(ask(0, compare_swap, {address, 8, 12, 11}), 11U);
  }
  ask(0, modify, {g.map.of(region_kind::device, 1)->base, 8, 5, 1}, true);
}

TEST_F(a_unit, has_lines_fetched_that_nobody_asked_for) {
  EXPECT_EQ(ask(0, has, {partition + 640}), 0U);
  EXPECT_EQ(ask(0, prefetch, {partition + 640}), 1U);
  EXPECT_EQ(ask(0, has, {partition + 640}), 1U);
  EXPECT_EQ(ask(0, prefetch, {partition + 640}), 0U) << "it is here";
  EXPECT_EQ(g.tiles[0]->l2().counted().misses, 0U);
  EXPECT_EQ(ask(0, prefetch, {tlm}), 0U) << "nothing that an L2 has";
  EXPECT_EQ(ask(0, prefetch, {0x7777'0000'0000}), 0U);
  word(partition + 640) = 7;
  EXPECT_EQ(ask(0, read, {partition + 640, 8}), 7U);
  EXPECT_EQ(g.tiles[0]->l2().counted().misses, 0U);
}

TEST_F(a_unit, reads_and_writes_the_memory_beside_the_caches) {
  ask(3, write_memory, {partition + 256, 0, 66});
  EXPECT_EQ(in_memory(partition + 256), 66U);
  EXPECT_EQ(ask(3, read_memory, {partition + 256}), 66U);
  EXPECT_EQ(g.tiles[3]->memory()->counted().reads, 1U);
  EXPECT_EQ(g.tiles[3]->memory()->counted().writes, 1U);
}

TEST_F(a_unit, puts_words_into_other_memories) {
  ask(3, put, {tlm_of_1 + 8, 3, 21, 22, 23});
  EXPECT_EQ(word(tlm_of_1 + 8, 1), 21U);
  EXPECT_EQ(word(tlm_of_1 + 24, 1), 23U);
  ask(3, put, {tlm_of_1 + 4, 1, 21}, true);
  ask(3, put, {partition + 8, 1, 21}, true);
  ask(3, put, {0x7777'0000'0000, 1, 21}, true);
}

TEST_F(a_unit, tells_units_of_other_tiles) {
  ask(0, send, {2, 3, 100, 20, 3});
  EXPECT_EQ(value(2, 9), 123U);
  ask(1, send, {2, 1, 100});
  EXPECT_EQ(value(2, 9), 1223U) << "from tile 1";
  ask(2, send, {2, 1, 1});
  EXPECT_EQ(value(2, 9), 3224U) << "and from itself";
  ask(1, send, {2, 1, 77}, true);
  ask(1, send, {4, 1, 1}, true);
  EXPECT_EQ(value(2, 9), 3224U);
}

TEST_F(a_unit, ends_commands_at_counters) {
  word(tlm) = 2;
  ask(1, acknowledge, {tlm, 6});
  EXPECT_EQ(word(tlm), 1U);
  EXPECT_EQ(word(tlm + 8), 6U);
  word(tlm + 16) = tlm + 64;
  word(tlm + 24) = 99;
  ask(1, acknowledge, {tlm, 0});
  EXPECT_EQ(word(tlm), 0U);
  EXPECT_EQ(word(tlm + 64), 99U);
  ask(1, acknowledge, {0, 0});
  ask(1, acknowledge, {tlm + 4, 0}, true);
}

TEST_F(a_unit, raises_interrupts) {
  ask(0, interrupt, {9});
  EXPECT_EQ(*g.units[0]->lines.load(registers::interrupts::pending, 0), std::uint64_t{1} << 9U);
}

TEST_F(a_unit, calls_tasks_and_waits_at_queues) {
  picoseconds const begin = g.clock.now();
  EXPECT_EQ(ask(0, task, {21}), 42U);
  EXPECT_EQ(g.clock.now() - begin, 21 * g.description.tile_clock_ps);
  ask(0, push, {6});
  EXPECT_EQ(value(0, 9), 0U + 1 + 2 + 3 + 4 + 5);
}

TEST_F(a_unit, is_accessed_by_other_tiles_which_it_knows) {
  std::uint64_t const base =
      g.map.of(region_kind::device, 2)->base + registers::own_units::first * registers::unit_bytes;
  EXPECT_EQ(ask(1, read, {base + 80, 8}), 1U);
  EXPECT_EQ(ask(1, read, {base + 88, 8}), std::uint64_t{device::no_hart});
  EXPECT_EQ(*unit(1).load(80, 3), 1U);
  EXPECT_EQ(*unit(1).load(88, 3), 3U);
  ask(1, read, {base + 96, 8}, true);
  ask(1, write, {base + 8, 8, 55});
  EXPECT_EQ(value(2, 1), 55U);
}

TEST_F(a_unit, hears_the_misses_of_its_l2_and_no_others) {
  grid listening{with_ports("nemesys-2x2", "listens = 1\n")};
  std::uint64_t const base = listening.map.of(region_kind::partition, 0)->base;
  tess::machine::event nothing([](tess::machine::event&) {});
  tess::machine::event again([](tess::machine::event&) {});
  listening.tiles[0]->l2().bring(base, nothing);
  listening.tiles[0]->l2().bring(base + 8, again);
  EXPECT_TRUE(listening.tiles[0]->l2().fetch_ahead(base + 4096));
  listening.clock.run();
  EXPECT_EQ(listening.units[0]->own.front()->statistics().front().value, 1U);
  EXPECT_EQ(listening.units[1]->own.front()->statistics().front().value, 0U);
}

class a_unit_that_is_full : public a_unit {
 protected:
  a_unit_that_is_full() : a_unit(with_ports("nemesys-2x2", "full = 3\n")) {}
};

TEST_F(a_unit_that_is_full, is_sent_a_message_again) {
  ask(0, send, {1, 1, 5});
  EXPECT_EQ(value(1, 9), 5U);
  ask(2, send, {2, 1, 5});
  EXPECT_EQ(value(2, 9), 2005U) << "also by itself";
}

class on_any_machine : public testing::TestWithParam<char const*> {};

TEST_P(on_any_machine, a_unit_reads_and_writes_the_newest_bytes) {
  grid g{with_ports(GetParam())};
  std::uint64_t const address = g.map.of(region_kind::partition, 0)->base + 4096;
  auto const ask = [&](std::uint32_t tile, request what, std::vector<std::uint64_t> const& arguments) {
    own_unit& unit = *g.units[tile]->own.front();
    for (std::size_t i = 0; i < arguments.size(); ++i) EXPECT_TRUE(unit.store(8 * i, arguments[i], 0));
    EXPECT_TRUE(unit.store(40, what, 0));
    g.clock.run();
    EXPECT_EQ(g.watch.trouble(), "");
    EXPECT_EQ(*unit.load(56, 0), 0U);
    return *unit.load(64, 0);
  };
  ask(0, write, {address, 8, 5});
  EXPECT_EQ(ask(0, read, {address, 8}), 5U);
  if (g.description.tiles() > 1) {
    EXPECT_EQ(ask(1, modify, {address, 8, 2, 1}), 5U);
    EXPECT_EQ(ask(0, read, {address, 8}), 7U);
  }
  expect_at_rest(g);
}

INSTANTIATE_TEST_SUITE_P(presets, on_any_machine,
                         testing::Values("single-tile", "nemesys-4x4", "cni-4", "dir-4", "rae-6", "tessera-2x2"),
                         [](auto const& one) {
                           std::string name = one.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(a_unit_file, is_loaded_where_it_asks_for_and_has_no_allocator_of_its_own) {
  auto const file = unit_file::load(TESS_TEST_UNITS "/ports.so", "ports");
  EXPECT_EQ(file->loaded_at(), 0U) << "moved from the address that it was linked for";
  EXPECT_EQ(unit_file::load(TESS_TEST_UNITS "/ports.so", "ports"), file);
  auto const address = reinterpret_cast<std::uintptr_t>(&file->declared());
  EXPECT_GE(address, 0x2a00'0000'0000U);
  EXPECT_LT(address, 0x2e00'0000'0000U);
  work_folder const folder;
  std::string const names = folder.run("nm -D --undefined-only " TESS_TEST_UNITS "/ports.so").output;
  EXPECT_NE(names.find("_Znwm"), std::string::npos) << names;
}

}  // namespace
