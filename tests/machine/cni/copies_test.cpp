// copies_test: copies between all kinds of memory at every alignment, their acknowledgements, and refused copies.
// Method: interfaces without harts; bytes of source, destination and its neighbours before and after.
#include <algorithm>

#include "cni_fixture.hpp"
#include "test_seed.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace
using tess::machine::test::interfaces;
namespace of = registers::cni;

class cni_copies : public testing::Test {
 protected:
  void fill(std::uint64_t address, std::uint64_t bytes, unsigned seed) {
    for (std::uint64_t i = 0; i < bytes; ++i) m.byte_at(address + i) = static_cast<std::byte>(i * 7 + seed + (i >> 8U));
  }
  std::vector<std::byte> bytes_of(std::uint64_t address, std::uint64_t bytes) {
    std::vector<std::byte> seen(bytes);
    for (std::uint64_t i = 0; i < bytes; ++i) seen[i] = m.byte_at(address + i);
    return seen;
  }
  /// Copies at the request of tile `by`, and checks 64 bytes on each side of the destination as well.
  void expect_copy(std::uint32_t by, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    fill(to - 64, bytes + 128, 200);
    fill(from, bytes, static_cast<unsigned>(to + from));
    auto expected = bytes_of(to - 64, bytes + 128);
    std::ranges::copy(bytes_of(from, bytes), expected.begin() + 64);
    m.must_store(told + of::counter_set, 0);
    m.copy(by, to, from, bytes, told);
    m.run();
    ASSERT_EQ(bytes_of(to - 64, bytes + 128), expected) << std::hex << from << " to " << to << ", bytes " << bytes;
    ASSERT_EQ(m.word(told), bytes) << "acknowledged";
  }
  interfaces m;
  std::uint64_t told = m.line(0, 0);
  cni_copies() { m.configure(told, of::counter); }
};

TEST_F(cni_copies, of_all_alignments_leave_the_neighbours_alone) {
  for (std::uint64_t from = 0; from < 64; ++from) {
    for (std::uint64_t to = 0; to < 64; ++to) {
      std::uint64_t const bytes = 1 + (from * 64 + to) * 37 % 150;
      ASSERT_NO_FATAL_FAILURE(expect_copy(0, m.scratchpad(1, 1024 + to), m.scratchpad(0, 4096 + from), bytes));
    }
  }
  m.expect_no_fault();
}

TEST_F(cni_copies, are_counted_at_the_requester_and_their_bytes_at_the_source) {
  m.copy(0, m.scratchpad(1, 1024), m.scratchpad(0, 4096), 100);
  m.copy(0, m.scratchpad(0, 2048), m.scratchpad(1, 4096), 30);
  m.run();
  m.expect_no_fault();
  EXPECT_EQ(m.at(0).counted().commands, 2);
  EXPECT_EQ(m.at(0).counted().copied_bytes, 100);
  EXPECT_EQ(m.at(1).counted().commands, 0);
  EXPECT_EQ(m.at(1).counted().copied_bytes, 30);
  EXPECT_EQ(m.at(0).counted().events, 0);
  m.must_store(told + of::counter_notify, m.scratchpad(1, 64));
  m.must_store(told + of::counter_set, 1);
  m.must_store(told, ~std::uint64_t{0});
  m.run();
  EXPECT_EQ(m.at(0).counted().events, 1) << "a notification";
}

TEST_F(cni_copies, work_between_all_memories_for_every_requester) {
  tess::test::random random(tess::test::seed());
  TESS_PRINT_SEED(tess::test::seed());
  std::vector<std::uint64_t> places;
  for (std::uint32_t tile : {0U, 1U, 4U}) {
    places.push_back(m.scratchpad(tile, 8192));
    places.push_back(m.partition(tile) + 65536);
    places.push_back(m.uncached(tile) + 131072);
    places.push_back(m.tlm(tile) + 64);
  }
  for (std::uint32_t by = 0; by < 5; ++by) {
    told = m.line(by, 0);
    m.configure(told, of::counter);
    m.open_tlms(by);
    for (std::uint64_t const from : places) {
      for (std::uint64_t const to : places) {
        std::uint64_t const bytes = 1 + random.below(300);
        ASSERT_NO_FATAL_FAILURE(expect_copy(by, to + 2048 + random.below(64), from + random.below(64), bytes));
      }
    }
  }
  m.expect_no_fault();
}

/// The uncached address of a partition reads what the caches of its tile hold.
TEST_F(cni_copies, see_and_change_what_the_caches_of_both_tiles_have) {
  std::uint64_t const from = 4096, to = 8192 + 24;
  fill(m.partition(1) + from, 256, 1);
  fill(m.partition(2) + to, 256, 2);
  // Their lines enter the L2s, which then hold newer data than memory.
  for (std::uint64_t const line : {0U, 64U, 128U}) {
    m.message(0, m.uncached(1) + from + line, {line + 1000});
    m.message(0, m.uncached(2) + to + line, {line + 2000});
  }
  m.run();
  EXPECT_NE(m.word(m.partition(1) + from), 0U);
  auto const expected = bytes_of(m.uncached(1) + from, 200);
  EXPECT_NE(expected, bytes_of(m.partition(1) + from, 200)) << "nothing was newer in a cache";
  auto const behind = bytes_of(m.uncached(2) + to + 200, 56);
  m.must_store(told + of::counter_set, 0);
  m.copy(0, m.uncached(2) + to, m.uncached(1) + from, 200, told);
  m.run();
  EXPECT_EQ(bytes_of(m.uncached(2) + to, 200), expected);
  EXPECT_EQ(bytes_of(m.uncached(2) + to + 200, 56), behind);
  EXPECT_EQ(m.word(told), 200U);
  m.expect_no_fault();
}

TEST_F(cni_copies, have_up_to_64_kib) {
  std::uint64_t const from = m.partition(0) + 4099;
  expect_copy(0, m.partition(2) + 64 + 7, from, 65536);
  expect_copy(1, m.scratchpad(3, 64), m.partition(1), 3 * 8192);
  m.expect_no_fault();
}

TEST_F(cni_copies, notify_counters_and_queues) {
  // The receiver's own counter counts arrived data without an instruction.
  std::uint64_t const arrived = m.line(1, 0);
  m.configure(arrived, of::counter);
  m.must_store(arrived + of::counter_set, ~std::uint64_t{1000} + 1);
  m.must_store(arrived + of::counter_preset, 1);
  m.must_store(arrived + of::counter_notify, m.scratchpad(1, 8));
  m.copy(0, m.scratchpad(1, 1000), m.scratchpad(0, 3), 1000, arrived);
  m.run();
  EXPECT_EQ(m.word(m.scratchpad(1, 8)), 1U);
  // A third tile's queue: an item for each packet.
  m.queue(m.line(2, 0), of::queue, m.scratchpad(2, 4096), 5, 0);
  m.copy(0, m.scratchpad(1, 1000), m.scratchpad(0, 3), 1000, m.line(2, 0));
  m.run();
  std::uint64_t const items = m.word(m.line(2, 0) + of::queue_tail);
  EXPECT_EQ(items, 17U) << "the lines of the destination";
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < items; ++i) sum += m.word(m.scratchpad(2, 4096 + 8 * i));
  EXPECT_EQ(sum, 1000U);
  // A notification to a full queue waits and is not lost: at the receiver, and at a third tile.
  for (std::uint32_t tile : {0U, 1U, 2U}) {
    m.queue(m.line(tile, 1), of::queue, m.scratchpad(tile, 6144), 1, 0);
    m.copy(0, m.scratchpad(1, 1024), m.scratchpad(0), 512, m.line(tile, 1));
    std::uint64_t taken = 0;
    sum = 0;
    while (taken < 8) {
      m.g.clock.run_until(m.g.clock.now() + 400 * m.g.description.tile_clock_ps);
      for (; taken < m.word(m.line(tile, 1) + of::queue_tail); ++taken) {
        sum += m.word(m.scratchpad(tile, 6144 + 8 * (taken % 2)));
      }
      m.must_store(m.line(tile, 1) + of::queue_head, taken);
    }
    m.run();
    EXPECT_EQ(sum, 512U);
  }
  // A word of DDR, through the L2 of its home.
  m.message(0, m.scratchpad(1, 8), {5, 6, 7}, m.partition(3) + 64);
  m.run();
  EXPECT_EQ(m.word(m.partition(3) + 64), 24U);
  m.expect_no_fault();
}

TEST_F(cni_copies, of_an_item_enqueue_it) {
  m.queue(m.line(1, 0), of::queue, m.scratchpad(1, 4096), 2, 3);
  fill(m.scratchpad(0, 64), 64, 9);
  m.copy(0, m.line(1, 0), m.scratchpad(0, 64), 64);
  m.run();
  EXPECT_EQ(m.word(m.line(1, 0) + of::queue_tail), 1U);
  EXPECT_EQ(bytes_of(m.scratchpad(1, 4096), 64), bytes_of(m.scratchpad(0, 64), 64));
  // Any other number of bytes is not an item.
  for (std::uint64_t const bytes : {8U, 32U, 63U}) {
    m.copy(0, m.line(1, 0), m.scratchpad(0, 64), bytes);
    m.run();
    m.expect_fault(0, of::fault::wrong_access, m.line(1, 0));
  }
  EXPECT_EQ(m.word(m.line(1, 0) + of::queue_tail), 1U);
}

TEST_F(cni_copies, that_are_invalid_change_nothing_and_are_reported_at_the_requester) {
  std::uint64_t const counter = m.line(1, 0);
  m.configure(counter, of::counter);
  fill(m.scratchpad(0), 256, 3);
  struct attempt {
    std::uint64_t to, from, bytes, told;
    of::fault why;
    std::uint64_t where;
    char const* because;
  };
  std::uint64_t const data = m.scratchpad(0, 64);
  std::uint64_t const good = m.scratchpad(1, 64);
  std::uint64_t const nowhere = 0x999'0000'0000;
  std::uint64_t const free = m.line(1, 9);
  std::uint64_t const devices = m.g.map.of(region_kind::device, 0)->base;
  auto const unaligned = of::fault::wrong_access;
  for (attempt const& one : {
           attempt{counter, data, 3, 0, unaligned, counter, "a counter by a copy of odd size"},
           attempt{counter + 3, data, 8, 0, unaligned, counter + 3, "a counter at an odd place"},
           attempt{counter, data, 16, 0, unaligned, counter, "two words of a counter"},
           attempt{free, data, 8, 0, of::fault::not_configured, free, "no line there"},
           attempt{nowhere, data, 8, 0, of::fault::not_allowed, nowhere, "no region, destination"},
           attempt{good, nowhere, 8, 0, of::fault::not_configured, nowhere, "nothing there, source"},
           attempt{good, devices, 8, 0, of::fault::not_configured, devices, "no memory, source"},
           attempt{good, counter, 8, 0, of::fault::not_allowed, counter, "events are no source"},
           attempt{good, m.line(0, 0), 8, 0, of::fault::wrong_access, m.line(0, 0), "nor the own ones"},
           attempt{good, m.line(0, 5), 8, 0, of::fault::not_configured, m.line(0, 5), "no line there, source"},
           attempt{good, data, 8, nowhere, of::fault::not_allowed, nowhere, "no region, acknowledgement"},
           attempt{good, data, 8, counter + 4, of::fault::acknowledgement, counter + 4, "no word"},
           attempt{good, m.scratchpad(0, 3 * m.way_bytes() - 8), 16, 0, of::fault::not_configured,
                   m.scratchpad(0, 3 * m.way_bytes() - 8), "over the end"},
       }) {
    SCOPED_TRACE(one.because);
    auto const before = bytes_of(good, 64);
    m.copy(0, one.to, one.from, one.bytes, one.told);
    m.run();
    m.expect_fault(0, one.why, one.where);
    EXPECT_EQ(m.word(counter), 0U);
    EXPECT_EQ(bytes_of(good, 64), before);
  }
  // The source is at another tile, which runs the copy: the fault is reported here.
  m.copy(0, free, m.scratchpad(2, 64), 8);
  m.run();
  m.expect_fault(0, of::fault::not_configured, free);
  m.copy(0, free, m.partition(2), 200);
  m.run();
  m.expect_fault(0, of::fault::not_configured, free);
  m.message(0, free, {1, 2});
  m.run();
  m.expect_fault(0, of::fault::not_configured, free);
  m.expect_no_fault();
}

TEST_F(cni_copies, with_an_acknowledgement_that_faults_are_written_and_reported) {
  for (std::uint32_t const tile : {0U, 1U}) {  // at the source, by the answer; at the destination
    std::uint64_t const free = m.line(tile, 9);
    fill(m.scratchpad(0), 64, 30 + tile);
    m.copy(0, m.scratchpad(1, 640), m.scratchpad(0), 64, free);
    m.run();
    m.expect_fault(0, of::fault::acknowledgement, free);
    EXPECT_EQ(bytes_of(m.scratchpad(1, 640), 64), bytes_of(m.scratchpad(0), 64));
  }
  // The destination notifies a third tile, and the fault is reported to the destination.
  m.copy(0, m.scratchpad(1, 640), m.scratchpad(0), 64, m.line(2, 9));
  m.run();
  m.expect_fault(1, of::fault::not_configured, m.line(2, 9));
  m.expect_no_fault();
}

TEST_F(cni_copies, stop_at_the_first_packet_that_cannot_be_written) {
  m.configure(m.line(1, 0), of::scratchpad, 128);
  fill(m.scratchpad(0), 4096, 1);
  m.copy(0, m.line(1, 0), m.scratchpad(0), 2048);
  m.run();
  m.expect_fault(0, of::fault::not_configured, m.line(1, 2));
  EXPECT_EQ(m.at(0).jobs(), 0U);
  EXPECT_EQ(bytes_of(m.line(1, 0), 128), bytes_of(m.scratchpad(0), 128));
}

TEST_F(cni_copies, let_short_messages_pass) {
  m.configure(m.line(1, 0), of::counter);
  m.copy(0, m.scratchpad(1, 0), m.scratchpad(0), 16384, told);
  m.message(0, m.line(1, 0), {1});
  while (m.word(m.line(1, 0)) == 0) m.g.clock.run_on(m.g.clock.next_due());
  EXPECT_LT(m.word(told), 2048U) << "the message came before an eighth of the copy was done";
  m.run();
  EXPECT_EQ(m.word(told), 16384U);
}

TEST_F(cni_copies, beyond_the_list_make_the_store_wait_that_completes_the_command) {
  std::uint64_t const buffer = m.command_buffer(0);
  std::uint32_t const jobs = m.g.description.cni->jobs;
  for (std::uint32_t i = 0; i < jobs; ++i) m.copy(0, m.scratchpad(1), m.scratchpad(0), 4096);
  m.must_store(buffer + of::command_destination, m.scratchpad(2));
  m.must_store(buffer + of::command_acknowledgement, 0);
  m.must_store(buffer + of::command_data, 77);
  EXPECT_EQ(m.store(buffer, of::what_of(of::message, 8)), access_outcome::full);
  EXPECT_EQ(m.at(0).lines().examine(buffer)->tag, 0b1110U) << "it has not been stored";
  std::size_t const before = m.times_told();
  m.run();
  EXPECT_GT(m.times_told(), before) << "who waits is told";
  m.must_store(buffer, of::what_of(of::message, 8));
  m.run();
  EXPECT_EQ(m.word(m.scratchpad(2)), 77U);
  m.expect_no_fault();
}

TEST_F(cni_copies, take_a_word_of_a_command_as_it_was_stored_last) {
  std::uint64_t const buffer = m.command_buffer(0);
  m.must_store(buffer + of::command_destination, m.scratchpad(1));
  m.must_store(buffer + of::command_data, 1);
  m.must_store(buffer + of::command_data, 2);
  m.must_store(buffer + of::command_what, of::what_of(of::copy, 8));
  m.must_store(buffer + of::command_what, of::what_of(of::message, 8));
  m.must_store(buffer + of::command_acknowledgement, 0);
  m.run();
  EXPECT_EQ(m.word(m.scratchpad(1)), 2U);
  EXPECT_EQ(m.at(0).lines().examine(buffer)->tag, 0U) << "free for the next one";
  m.expect_no_fault();
}

}  // namespace
