// memset_unit_test: the example unit of docs/internals/machine.md fills the given range and nothing else, in the time
// of the memory's port. Method: the grid of a preset without harts; commands as stores to the registers.
#include "memset_unit.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "../at_rest.hpp"
#include "machine/tile/grid.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
using registers::command_status;

std::string text_of(char const* file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

class a_memset_unit : public testing::Test {
 protected:
  command_status command(std::uint64_t address, std::uint64_t bytes, std::uint64_t value, std::uint64_t counter) {
    EXPECT_TRUE(unit.store(memset_unit::address, address, device::no_hart));
    EXPECT_TRUE(unit.store(memset_unit::bytes, bytes, device::no_hart));
    EXPECT_TRUE(unit.store(memset_unit::value, value, device::no_hart));
    EXPECT_TRUE(unit.store(memset_unit::counter, counter, device::no_hart));
    EXPECT_TRUE(unit.store(56, 1, device::no_hart));
    return static_cast<command_status>(*unit.load(56, device::no_hart));
  }
  std::uint64_t& word(std::uint64_t address) { return *reinterpret_cast<std::uint64_t*>(owner.peek(address)); }

  grid g{read_machine(TESS_MACHINES "/nemesys-2x2.toml")};
  tile& owner = *g.tiles[0];
  tile& memory = *g.tiles[3];
  memset_unit unit{g.clock, g.description, memory};
  std::uint64_t partition = g.map.of(region_kind::partition, 0)->base;
  std::uint64_t tlm = g.map.of(region_kind::tlm, 0)->base;
};

TEST_F(a_memset_unit, fills_its_range_and_nothing_else_in_the_time_of_the_port) {
  constexpr std::uint64_t bytes = 4096;
  word(tlm) = 1;
  word(tlm + 16) = tlm + 64;
  word(tlm + 24) = 99;
  word(partition) = word(partition + 64 + bytes) = 5;
  ASSERT_EQ(command(partition + 64, bytes, 77, tlm), command_status::accepted);
  EXPECT_EQ(command(partition + 64, bytes, 78, tlm), command_status::accepted) << "it runs, and that is lost";
  g.clock.run();
  for (std::uint64_t at = 64; at < 64 + bytes; at += 8) ASSERT_EQ(word(partition + at), 77U);
  EXPECT_EQ(word(partition), 5U);
  EXPECT_EQ(word(partition + 64 + bytes), 5U);
  EXPECT_EQ(word(tlm), 0U);
  EXPECT_EQ(word(tlm + 64), 99U);
  EXPECT_EQ(*unit.load(56, 0), static_cast<std::uint64_t>(command_status::idle));
  expect_at_rest(g);
  std::uint64_t const words = bytes / g.description.memory.port_bytes;
  EXPECT_EQ(memory.memory()->counted().busy_ps, words * g.description.memory_clock_ps);
  EXPECT_GE(g.clock.now(), words * g.description.memory_clock_ps);
}

TEST_F(a_memset_unit, refuses_what_is_not_in_its_memory) {
  EXPECT_EQ(command(tlm, 64, 0, 0), command_status::wrong);
  EXPECT_EQ(command(partition + 8, 64, 0, 0), command_status::wrong);
  EXPECT_EQ(command(partition, ~std::uint64_t{63}, 0, 0), command_status::wrong);
  EXPECT_EQ(command(0x7777'0000'0000, 64, 0, 0), command_status::wrong);
  EXPECT_EQ(command(partition, 64, 0, tlm + 4), command_status::wrong);
}

TEST(the_page_of_the_machine, shows_this_unit) {
  std::string const page = text_of(TESS_MACHINE_PAGE);
  EXPECT_NE(page.find("```cpp\n" + text_of(TESS_MEMSET_UNIT) + "```"), std::string::npos)
      << "docs/internals/machine.md must show memset_unit.hpp as it is";
}

}  // namespace
