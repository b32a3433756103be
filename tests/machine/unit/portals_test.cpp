// portals_test: a receive window accepts valid parameters only, counts completed sends, and does not change while open;
// each network carries its own traffic. Method: the grid of mppa-256 without harts; commands as register stores.
#include "machine/unit/portals.hpp"

#include <gtest/gtest.h>

#include "../at_rest.hpp"
#include "machine/tile/grid.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
using registers::command_status;
namespace of = registers::portals;

class a_receive_window : public testing::Test {
 protected:
  static constexpr std::uint64_t own_memory = 0x40000;

  command_status open(std::uint64_t address, std::uint64_t bytes, std::uint64_t source, std::uint64_t sends) {
    EXPECT_TRUE(unit.store(of::address, address, 0));
    EXPECT_TRUE(unit.store(of::bytes, bytes, 0));
    EXPECT_TRUE(unit.store(of::source, source, 0));
    EXPECT_TRUE(unit.store(of::sends, sends, 0));
    return static_cast<command_status>(*unit.load(of::state, 0));
  }
  std::uint64_t still_to_come() { return *unit.load(of::sends, 0); }
  /// Sends from tile 0; returns how the sender's command ended.
  command_status send(std::uint64_t bytes, std::uint64_t to, std::uint64_t operation = registers::adapter::send) {
    device& sender = g.units[0]->commands;
    namespace command = registers::adapter;
    EXPECT_TRUE(sender.store(command::operation, operation, 0));
    EXPECT_TRUE(sender.store(command::address, own_memory, 0));
    EXPECT_TRUE(sender.store(command::bytes, bytes, 0));
    EXPECT_TRUE(sender.store(command::operand, to, 0));
    EXPECT_TRUE(sender.store(command::counter, 0, 0));
    EXPECT_TRUE(sender.store(command::doorbell, 1, 0));
    g.clock.run();
    return static_cast<command_status>(*sender.load(command::doorbell, 0));
  }
  std::uint64_t& word(std::uint32_t tile, std::uint64_t address) {
    return *reinterpret_cast<std::uint64_t*>(g.tiles[tile]->peek(g.map.of(region_kind::tlm, tile)->base + address));
  }
  static std::uint64_t flits(network const& of_one) {
    std::uint64_t sum = 0;
    topology const& layout = of_one.layout();
    for (std::uint32_t router = 0; router < layout.routers(); ++router)
      for (std::uint32_t port = 0; port < layout.ports(); ++port) sum += of_one.link_flits(router, port);
    return sum;
  }

  grid g{read_machine(TESS_MACHINES "/mppa-256.toml")};
  device& unit = *g.units[1]->windows;
  std::uint64_t there = g.map.of(region_kind::tlm, 1)->base + own_memory;
};

TEST_F(a_receive_window, is_of_whole_lines_of_its_own_memory_for_another_tile) {
  EXPECT_EQ(open(own_memory, 64, 0, 1), command_status::idle);
  EXPECT_EQ(still_to_come(), 1U);
  EXPECT_TRUE(unit.store(of::sends, 0, 0));
  EXPECT_EQ(open(own_memory + 8, 64, 0, 1), command_status::wrong);
  EXPECT_EQ(open(own_memory, 0, 0, 1), command_status::wrong);
  EXPECT_EQ(open(own_memory, ~std::uint64_t{63}, 0, 1), command_status::wrong);
  EXPECT_EQ(open(own_memory, 64, 1, 1), command_status::wrong) << "itself";
  EXPECT_EQ(open(own_memory, 64, 20, 1), command_status::wrong) << "nobody";
  EXPECT_EQ(open(g.map.of(region_kind::tlm, 2)->base, 64, 0, 1), command_status::wrong) << "another's memory";
  EXPECT_EQ(still_to_come(), 0U);
}

TEST_F(a_receive_window, counts_sends_and_closes_with_the_last) {
  ASSERT_EQ(open(own_memory, 128, 0, 2), command_status::idle);
  EXPECT_TRUE(unit.store(of::bytes, 4096, 0)) << "which is lost: it is open";
  word(0, own_memory) = 5;
  EXPECT_EQ(send(64, there), command_status::idle);
  EXPECT_EQ(still_to_come(), 1U);
  EXPECT_EQ(word(1, own_memory), 5U);
  EXPECT_EQ(send(64, there + 128), command_status::wrong);
  EXPECT_EQ(send(192, there), command_status::wrong) << "its end is outside";
  EXPECT_EQ(still_to_come(), 1U);
  EXPECT_EQ(send(64, there + 64), command_status::idle);
  EXPECT_EQ(still_to_come(), 0U);
  word(0, own_memory) = 6;
  EXPECT_EQ(send(64, there), command_status::wrong);
  EXPECT_EQ(word(1, own_memory), 5U);
  expect_at_rest(g);
}

TEST_F(a_receive_window, refuses_other_senders) {
  ASSERT_EQ(open(own_memory, 64, 2, 1), command_status::idle);
  EXPECT_EQ(send(64, there), command_status::wrong);
  EXPECT_EQ(send(64, there, registers::adapter::copy), command_status::wrong) << "without the window";
  EXPECT_EQ(still_to_come(), 1U);
}

TEST_F(a_receive_window, is_not_a_unit_of_other_machines_nor_are_accelerators_of_this_one) {
  EXPECT_EQ(g.tiles[1]->device_at(g.map.of(region_kind::device, 1)->base + registers::unit_bytes * 6).first, nullptr);
  grid const other{read_machine(TESS_MACHINES "/nemesys-2x2.toml")};
  EXPECT_FALSE(other.units[0]->windows.has_value());
  EXPECT_FALSE(other.mail.has_value());
}

TEST_F(a_receive_window, gets_data_by_the_first_network_and_messages_go_by_the_second) {
  ASSERT_EQ(open(own_memory, 64, 0, 1), command_status::idle);
  EXPECT_EQ(send(64, there), command_status::idle);
  std::uint64_t const data = flits(g.noc);
  EXPECT_GT(data, 64U / 4);
  EXPECT_EQ(flits(*g.mail), 0U);
  device& post = g.units[0]->invocations;
  EXPECT_TRUE(post.store(0, 77, 0));
  EXPECT_TRUE(post.store(registers::invoke::target, 1, 0));
  EXPECT_TRUE(post.store(registers::invoke::doorbell, 1, 0));
  g.clock.run();
  EXPECT_EQ(g.tiles[1]->network_adapter().tasks(), 1U);
  EXPECT_EQ(flits(g.noc), data);
  EXPECT_GT(flits(*g.mail), 0U);
}

}  // namespace
