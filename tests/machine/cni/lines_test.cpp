// lines_test: kinds of L2 lines; the cache does not replace lines of the network interface; the operating system can
// examine, save and restore a line in the middle of a command.
// Method: interfaces without harts; the registers of the unit, and enough lines loaded to replace the whole cache.
#include "cni_fixture.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
using tess::machine::test::interfaces;
namespace of = registers::cni;
using registers::command_status;

class cni_lines : public testing::Test {
 protected:
  command_status command(std::uint64_t operation, std::uint64_t address, std::uint64_t bytes = 0,
                         std::uint64_t value = 0, std::uint64_t tag = 0) {
    for (auto const& [offset, field] : {std::pair{of::operation, operation},
                                        {of::address, address},
                                        {of::bytes, bytes},
                                        {of::value, value},
                                        {of::tag, tag},
                                        {of::doorbell, std::uint64_t{1}}}) {
      EXPECT_TRUE(unit.store(offset, field, 0));
    }
    return static_cast<command_status>(*unit.load(of::doorbell, 0));
  }
  std::uint64_t field(std::uint64_t offset) { return *unit.load(offset, 0); }
  void bring(std::uint64_t address) {
    tess::machine::test::nothing there;
    if (m.g.tiles[0]->look_up(tile::place::l2, address, true) != nullptr) return;
    m.g.tiles[0]->l2().bring(address, there);
    m.run();
    EXPECT_NE(m.g.tiles[0]->look_up(tile::place::l2, address, true), nullptr);
  }

  interfaces m;
  cni_unit& unit = *m.g.units[0]->interface;
  event_lines& lines = m.at(0).lines();
};

TEST_F(cni_lines, are_configured_in_whole_and_in_the_own_scratchpad_only) {
  std::uint64_t const here = m.line(0, 0);
  EXPECT_EQ(command(of::configure, here, 128, of::counter), command_status::idle);
  EXPECT_EQ(lines.code_of(here + 127), of::counter);
  EXPECT_EQ(lines.code_of(here + 128), of::cacheable);
  EXPECT_EQ(command(of::configure, here + 8, 64, of::counter), command_status::wrong);
  EXPECT_EQ(command(of::configure, here, 8, of::counter), command_status::wrong);
  EXPECT_EQ(command(of::configure, here, 0, of::counter), command_status::wrong);
  EXPECT_EQ(command(of::configure, here, 64, 6), command_status::wrong);
  EXPECT_EQ(command(of::configure, here, ~std::uint64_t{63}, of::counter), command_status::wrong);
  EXPECT_EQ(command(of::configure, m.line(1, 0), 64, of::counter), command_status::wrong);
  EXPECT_EQ(command(of::configure, m.partition(0), 64, of::counter), command_status::wrong);
  EXPECT_EQ(command(of::configure, m.scratchpad(0, 3 * m.way_bytes() - 64), 128, of::counter), command_status::wrong);
  EXPECT_EQ(lines.code_of(m.scratchpad(0, 3 * m.way_bytes() - 64)), of::cacheable) << "all of it or nothing";
  EXPECT_EQ(command(9, here, 64, of::counter), command_status::wrong);
  EXPECT_EQ(command(of::configure, here, 64, of::cacheable), command_status::idle);
  EXPECT_EQ(lines.code_of(here), of::cacheable);
  EXPECT_EQ(command(of::configure, here, 64, of::cacheable), command_status::idle) << "it is so already";
}

TEST_F(cni_lines, cannot_take_the_last_way_nor_one_place_twice) {
  network_interface& one = m.at(1);
  for (auto& entry : one.regions().entries()) entry.enabled = false;
  std::uint64_t const way = m.way_bytes();
  ASSERT_TRUE(one.lines().configure(m.scratchpad(1), 2 * way, of::cacheable));
  for (std::uint64_t i = 0; i < 3; ++i) m.enter(1, i, m.scratchpad(1, i * way), ~(way - 1), of::own_scratchpad, i);
  EXPECT_TRUE(one.lines().configure(m.scratchpad(1), 3 * way, of::scratchpad));
  // Set 0 of way 0 is free. Another line of set 0 takes way 3, which leaves the cache two ways, then one.
  ASSERT_TRUE(one.lines().configure(m.scratchpad(1), 64, of::cacheable));
  m.enter(1, 4, m.scratchpad(1, 0), ~(way - 1), of::own_scratchpad, 3);
  one.regions().entries()[0].enabled = false;
  EXPECT_TRUE(one.lines().configure(m.scratchpad(1), 64, of::counter));
  EXPECT_EQ(one.lines().code_of(m.scratchpad(1)), of::counter);
  ASSERT_TRUE(one.lines().configure(m.scratchpad(1, way), 64, of::cacheable));
  m.enter(1, 5, m.scratchpad(1, way), ~(way - 1), of::own_scratchpad, 3);
  one.regions().entries()[1].enabled = false;
  EXPECT_FALSE(one.lines().configure(m.scratchpad(1, way), 64, of::counter)) << "way 3 of set 0 is taken";

  network_interface& two = m.at(2);
  ASSERT_TRUE(two.lines().configure(m.scratchpad(2), 2 * way, of::cacheable));
  m.enter(2, 1, m.scratchpad(2, way), ~(way - 1), of::own_scratchpad, 0);
  EXPECT_FALSE(two.lines().configure(m.scratchpad(2), 2 * way, of::scratchpad)) << "both name way 0";
  EXPECT_EQ(two.lines().code_of(m.scratchpad(2)), of::cacheable);
}

TEST_F(cni_lines, of_all_four_ways_are_refused) {
  grid narrow([] {
    auto made = read_machine(TESS_MACHINES "/cni-4.toml");
    made.l2.ways = 2;  // the region stays one of three ways
    return with_hardware(made);
  }());
  network_interface& one = *narrow.tiles[0]->interface();
  std::uint64_t const base = narrow.map.of(region_kind::scratchpad, 0)->base;
  std::uint64_t const way = narrow.description.l2.way_bytes;
  for (std::uint64_t i = 0; i < 2; ++i) {
    auto& entry = one.regions().entries()[i];
    entry = {base + i * way, ~(way - 1), of::own_scratchpad, i, false};
    ASSERT_TRUE(one.regions().enable(entry, 2));
  }
  EXPECT_FALSE(one.lines().configure(base, 2 * way, of::scratchpad));
  EXPECT_EQ(one.lines().code_of(base), of::cacheable) << "nothing of it was done";
  EXPECT_TRUE(one.lines().configure(base, way, of::scratchpad));
  EXPECT_FALSE(one.lines().configure(base + way + 640, 64, of::counter)) << "the last way of its set";
}

TEST_F(cni_lines, survive_a_cache_that_replaces_all_its_lines_many_times) {
  ASSERT_EQ(command(of::configure, m.line(0, 0), m.way_bytes(), of::scratchpad), command_status::idle);
  ASSERT_EQ(command(of::configure, m.line(0, 7), 64, of::counter), command_status::idle);
  m.must_store(m.line(0, 7) + of::counter_set, 1234);
  std::uint64_t const all = 3 * m.way_bytes();
  for (std::uint64_t at = 0; at < all; at += 8) {
    if (at / 64 != (m.line(0, 7) - m.scratchpad(0)) / 64) std::memcpy(lines.at(m.scratchpad(0, at)), &at, sizeof at);
  }
  // One way is left: each set holds one line, and eight lines pass through it.
  for (std::uint64_t at = 0; at < 8 * m.way_bytes(); at += 64) bring(m.partition(0) + at);
  EXPECT_GE(m.g.tiles[0]->l2().counted().write_backs, 7 * m.way_bytes() / 64) << "what was replaced was dirty";
  m.g.tiles[0]->l2().forget(m.partition(0), 1U << 20U);
  for (std::uint64_t at = 0; at < all; at += 8) {
    if (at / 64 == (m.line(0, 7) - m.scratchpad(0)) / 64) continue;
    ASSERT_EQ(m.word(m.scratchpad(0, at)), at);
  }
  EXPECT_EQ(m.word(m.line(0, 7)), 1234U);
}

TEST_F(cni_lines, let_go_what_the_cache_had_there) {
  // Four dirty lines fill a set; its way 2 becomes a counter.
  ASSERT_TRUE(lines.configure(m.scratchpad(0), 2 * m.way_bytes(), of::cacheable));
  for (std::uint64_t i = 0; i < 4; ++i) {
    std::uint64_t const address = m.partition(0) + i * m.way_bytes();
    bring(address);
    std::uint64_t const value = 100 + i;
    std::memcpy(m.g.tiles[0]->look_up(tile::place::l2, address, true), &value, sizeof value);
  }
  ASSERT_EQ(command(of::configure, m.line(0, 0), 64, of::counter), command_status::idle);
  m.run();
  int gone = 0;
  for (std::uint64_t i = 0; i < 4; ++i) {
    std::uint64_t const address = m.partition(0) + i * m.way_bytes();
    gone += m.g.tiles[0]->l2().probe(address).line_state == l2_private::invalid ? 1 : 0;
    EXPECT_EQ(m.word(address), 100 + i);
  }
  EXPECT_EQ(gone, 1);
}

TEST_F(cni_lines, can_be_listed_examined_and_put_back_in_the_middle_of_a_command) {
  std::uint64_t const buffer = m.line(0, 3);
  std::uint64_t const target = m.scratchpad(1, 256);
  m.configure(m.line(0, 9), of::counter);
  m.configure(buffer, of::command_buffer);
  m.must_store(buffer + of::command_destination, target);
  m.must_store(buffer + of::command_data, 77);

  ASSERT_EQ(command(of::next, 0), command_status::idle);
  EXPECT_EQ(field(of::address), buffer);
  EXPECT_EQ(field(of::value), of::command_buffer);
  EXPECT_EQ(field(of::tag), 0b1010U) << "which words have been stored";
  ASSERT_EQ(command(of::next, buffer + 1), command_status::idle);
  EXPECT_EQ(field(of::address), m.line(0, 9));
  ASSERT_EQ(command(of::next, m.line(0, 9) + 64), command_status::idle);
  EXPECT_EQ(field(of::value), of::cacheable) << "there are no more";

  // Another process uses the line for another purpose.
  std::array<std::uint64_t, 8> saved{};
  for (std::size_t i = 0; i < 8; ++i) saved[i] = m.word(buffer + 8 * i);
  ASSERT_EQ(command(of::configure, buffer, 64, of::counter), command_status::idle);
  m.must_store(buffer + of::counter_set, 5);
  m.post(2, buffer, 3);
  m.run();
  EXPECT_EQ(m.word(buffer), 8U);

  ASSERT_EQ(command(of::configure, buffer, 64, of::scratchpad), command_status::idle);
  std::memcpy(lines.at(buffer), saved.data(), sizeof saved);
  ASSERT_EQ(command(of::restore, buffer, 0, of::command_buffer, 0b1010), command_status::idle);
  ASSERT_EQ(command(of::examine, buffer), command_status::idle);
  EXPECT_EQ(field(of::tag), 0b1010U);
  m.must_store(buffer + of::command_acknowledgement, 0);
  EXPECT_EQ(m.word(target), 0U);
  m.must_store(buffer + of::command_what, of::what_of(of::message, 8));
  m.run();
  EXPECT_EQ(m.word(target), 77U);
  m.expect_no_fault();
}

TEST_F(cni_lines, keep_their_state_through_examine_and_restore) {
  m.queue(m.line(0, 0), of::queue, m.scratchpad(0, 1024), 2, 0);
  m.queue(m.line(0, 1), of::match_queue, m.scratchpad(0, 2048), 2, 0);
  m.configure(m.line(0, 2), of::counter);
  for (std::uint64_t i = 0; i < 3; ++i) m.must_store(m.line(0, 0), 10 + i);
  m.must_store(m.line(0, 0) + of::queue_head, 1);
  m.must_store(m.line(0, 1) + of::match_request, m.scratchpad(1));
  m.must_store(m.line(0, 2) + of::counter_set, 42);
  for (std::uint64_t i = 0; i < 3; ++i) {
    std::uint64_t const line = m.line(0, i);
    auto const seen = lines.examine(line);
    std::array<std::uint64_t, 8> saved{};
    for (std::size_t w = 0; w < 8; ++w) saved[w] = m.word(line + 8 * w);
    ASSERT_TRUE(lines.configure(line, 64, of::cacheable));
    ASSERT_TRUE(lines.configure(line, 64, of::scratchpad));
    std::memcpy(lines.at(line), saved.data(), sizeof saved);
    ASSERT_TRUE(lines.restore(line, seen->code, seen->tag));
    for (std::size_t w = 0; w < 8; ++w) EXPECT_EQ(m.word(line + 8 * w), saved[w]) << "line " << i << ", word " << w;
  }
  EXPECT_EQ(m.word(m.line(0, 0) + of::queue_tail), 3U);
  EXPECT_EQ(m.word(m.line(0, 0) + of::queue_head), 1U);
  EXPECT_EQ(m.word(m.line(0, 1) + of::match_balance), ~std::uint64_t{0}) << "one request waits";
  m.must_store(m.line(0, 1), 99);
  m.run();
  EXPECT_EQ(m.word(m.scratchpad(1)), 99U);
  EXPECT_FALSE(lines.restore(m.line(0, 0) + 8, of::counter, 0));
  EXPECT_FALSE(lines.restore(m.line(0, 0), 6, 0));
  EXPECT_FALSE(lines.restore(m.line(1, 0), of::counter, 0));
}

TEST_F(cni_lines, registers_are_those_of_the_own_tile_and_no_others) {
  EXPECT_EQ(unit.load(of::scratchpad_base, 0), m.scratchpad(0));
  EXPECT_EQ(unit.load(of::scratchpad_stride, 0), m.scratchpad(1) - m.scratchpad(0));
  EXPECT_EQ(unit.load(of::ways, 0), 3U);
  EXPECT_EQ(unit.load(of::faults, device::no_hart), std::nullopt);
  EXPECT_FALSE(unit.store(of::faults, 0, device::no_hart));
  EXPECT_EQ(unit.load(of::ways + 8, 0), std::nullopt);
  EXPECT_FALSE(unit.store(of::ways, 1, 0));
  EXPECT_FALSE(unit.store(of::fault_code, 1, 0));
  std::uint64_t const last = of::regions + of::region_bytes * m.g.description.cni->region_entries;
  EXPECT_EQ(unit.load(last, 0), std::nullopt);
  std::uint64_t const entry = last - of::region_bytes;
  EXPECT_TRUE(unit.store(entry + of::region_mask, ~std::uint64_t{63}, 0));
  EXPECT_TRUE(unit.store(entry + of::region_match, 64, 0));
  EXPECT_TRUE(unit.store(entry + of::region_kind, of::memory, 0));
  EXPECT_TRUE(unit.store(entry + of::region_enable, 1, 0));
  EXPECT_EQ(unit.load(entry + of::region_enable, 0), 1U);
  EXPECT_TRUE(unit.store(entry + of::region_mask, ~std::uint64_t{7}, 0));
  EXPECT_EQ(unit.load(entry + of::region_enable, 0), 0U) << "a change takes it out of force";
  EXPECT_TRUE(unit.store(entry + of::region_enable, 1, 0));
  EXPECT_EQ(unit.load(entry + of::region_enable, 0), 0U) << "smaller than a line";
  EXPECT_FALSE(unit.store(entry + 40, 0, 0));
}

}  // namespace
