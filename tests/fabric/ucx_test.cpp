// ucx: promises of the fabric of processes beside the contract: service without polls, cookies used once, private
// segments, checked introductions.
// Method: places of this process without windows, one of which never polls; the parts by hand.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "fabric/fabric_contract.hpp"
#include "fabric/segment.hpp"
#include "fabric/ucx/board.hpp"
#include "fabric/ucx/introduction.hpp"
#include "fabric/ucx/operations.hpp"
#include "fabric/ucx/packet.hpp"

namespace tess::test {
namespace {

class ucx_without_windows : public fabric_contract {
 protected:
  /// Only place 0 polls.
  void settle_alone(completion& c) {
    auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!c.idle() && std::chrono::steady_clock::now() < limit) static_cast<void>(fabric_->poll(0, 16, sink_));
    ASSERT_TRUE(c.idle()) << "a place that does not poll does not serve";
  }
};

TEST_P(ucx_without_windows, words_and_blocks_of_a_place_that_computes_are_served) {
  std::memset(memory(1, 8192), 0, 8);
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::uint64_t result[2];
    completion done;
    done.expect(1);
    fabric_->word(0, {word_op::fetch_add, word_type::u64, 8, 8, address(1, 8192), {1, 0}}, result, done);
    settle_alone(done);
    EXPECT_EQ(result[0], i);
  }
  auto const bytes = pattern(300000, 3);
  completion done;
  done.expect(1);
  fabric_->put(0, bytes, address(1, 16384), &done, 0);
  settle_alone(done);
  std::vector<std::byte> back(bytes.size());
  done.expect(1);
  fabric_->get(0, address(1, 16384), back, &done);
  settle_alone(done);
  EXPECT_EQ(back, bytes);
}

TEST_P(ucx_without_windows, words_that_share_packets_are_each_done_once) {
  // More than two packets hold, for two places in turn, of which one is issued to while its packet is full.
  constexpr std::uint64_t words = 2 * words_max + 44;
  for (place_id const p : {place_id{1}, place_id{2}}) std::memset(memory(p, 8192), 0, 8);
  struct old_value {
    std::uint64_t words[2];
  };
  std::vector<old_value> results(2 * words);
  completion done;
  done.expect(2 * words);
  for (std::uint64_t i = 0; i < 2 * words; ++i) {
    auto const target = static_cast<place_id>(1 + i % 2);
    fabric_->word(0, {word_op::fetch_add, word_type::u64, 8, 8, address(target, 8192), {1, 0}}, results[i].words, done);
  }
  settle(done);
  for (place_id const p : {place_id{0}, place_id{1}}) {
    std::vector<bool> seen(words);
    for (std::uint64_t i = p; i < 2 * words; i += 2) {
      ASSERT_LT(results[i].words[0], words);
      EXPECT_FALSE(seen[results[i].words[0]]) << "two additions saw " << results[i].words[0];
      seen[results[i].words[0]] = true;
    }
  }
}

TEST_P(ucx_without_windows, operations_outside_of_what_is_committed_are_dropped_and_harmless) {
  std::uint64_t const beyond = fabric_->segment(1).bytes / 2 - 4096;
  std::uint64_t result[2];
  // A wrong packet gets no answer, so the completion does not change.
  completion never;
  never.expect(1);
  fabric_->word(0, {word_op::fetch_add, word_type::u64, 8, 8, address(1, beyond), {1, 0}}, result, never);
  for (int i = 0; i < 1000; ++i) poll_all();
  EXPECT_EQ(never.outstanding(), 1);
  completion done;
  done.expect(1);
  fabric_->word(0, {word_op::put, word_type::u64, 8, 8, address(1, 8192), {7, 0}}, result, done);
  settle(done);
  EXPECT_EQ(memory(1, 8192)[0], std::byte{7});
}

fabric_kind without_windows() {
  return {"ucx", &make_ucx_here<false>, false, false};
}
INSTANTIATE_TEST_SUITE_P(fabrics, ucx_without_windows, testing::Values(without_windows()), name_of);

ucx_operation operation_on(place_id place) {
  ucx_operation o;
  o.to = place;
  return o;
}

TEST(ucx_operations_table, gives_each_cookie_once_and_ends_those_to_one_place) {
  ucx_operations table;
  std::uint64_t const first = table.add(operation_on(1));
  ASSERT_NE(first, 0U);
  EXPECT_TRUE(table.take(first));
  EXPECT_FALSE(table.take(first)) << "an answer that came twice";
  std::uint64_t const second = table.add(operation_on(2));
  EXPECT_NE(second, first) << "the entry is used again, the cookie is not";
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(table.find(12345), nullptr);
  std::uint64_t const third = table.add(operation_on(3));
  unsigned ended = 0;
  for (ucx_operation const& o : table.take_all(place_id{2})) {
    EXPECT_EQ(o.to, 2);
    ++ended;
  }
  EXPECT_EQ(ended, 1U);
  EXPECT_EQ(table.find(second), nullptr);
  EXPECT_NE(table.find(third), nullptr);
}

TEST(ucx_segment, is_a_file_for_its_user_only_that_others_can_map) {
  segment shared(1, true);
  ASSERT_TRUE(shared.commit(0, 4096));
  EXPECT_FALSE(shared.committed(std::uint64_t{64} << 20, 8));
  struct stat s{};
  ASSERT_EQ(fstat(shared.file(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777U, 0600U);
  EXPECT_EQ(s.st_nlink, 0U) << "it has a name, and would stay behind";
  segment_place where = describe_segment(shared.file(), shared.bytes());
  int const file = open_segment(where);
  ASSERT_GE(file, 0);
  window_space space;
  space.reserve(window_space::bytes_for(where.bytes));
  std::byte* const window = space.map(file, where.bytes, true);
  EXPECT_EQ(space.map(file, where.bytes, true), nullptr) << "more than was reserved";
  close(file);
  ASSERT_NE(window, nullptr);
  shared.base()[100] = std::byte{42};
  EXPECT_EQ(window[100], std::byte{42});
  ++where.inode;
  EXPECT_EQ(open_segment(where), -1) << "a file of that number, but another one";
}

TEST(ucx_segment, begins_with_small_pages_among_many_of_its_host) {
  segment one(1000, true, 0, 1000);
  ASSERT_TRUE(one.commit(0, 4096));
  struct stat s{};
  ASSERT_EQ(fstat(one.file(), &s), 0);
  EXPECT_LT(s.st_blocks * 512, 1 << 20);
}

TEST(ucx_introduction, survives_the_way_and_is_refused_when_cut) {
  introduction const sent{
      describe_segment(-1, 4096), {}, bell_place{77, 5}, pattern(100, 1), "program 1a2b (7 handlers)"};
  std::vector<std::byte> bytes = write_introduction(sent);
  introduction_view const read = read_introduction(bytes, 3);
  EXPECT_EQ(read.bell.inode, 77U);
  EXPECT_EQ(read.bell.file, 5);
  EXPECT_TRUE(std::ranges::equal(read.address, sent.address));
  EXPECT_EQ(read.identity, sent.identity);
  EXPECT_TRUE(same_host(read.where, sent.where));
  bytes.pop_back();
  EXPECT_THROW(static_cast<void>(read_introduction(bytes, 3)), error);
  EXPECT_THROW(static_cast<void>(read_introduction({}, 3)), error);
  bytes.assign(500, std::byte{0xff});
  EXPECT_THROW(static_cast<void>(read_introduction(bytes, 3)), error);
}

/// Two views of the same memory, as two processes of a host have them.
TEST(ucx_board, shows_to_all_processes_of_a_host_what_was_entered_first) {
  host_board mine(300);
  std::unique_ptr<host_board> const theirs = host_board::open(mine.place(), 300);
  ASSERT_NE(theirs, nullptr);
  EXPECT_TRUE(theirs->introduction(299).empty());
  std::vector<std::byte> const bytes = pattern(701, 4);
  for (place_id p = 0; p < 300; ++p)
    EXPECT_TRUE(std::ranges::equal((p % 2 == 0 ? mine : *theirs).enter(p, bytes), bytes)) << p;
  EXPECT_TRUE(std::ranges::equal(theirs->introduction(0), bytes));
  EXPECT_TRUE(std::ranges::equal(mine.enter(7, pattern(20, 5)), bytes)) << "a second entry took the place of the first";
  EXPECT_EQ(theirs->stamped(12), host_board::clock::time_point{});
  auto const now = host_board::clock::now();
  mine.stamp(12, now);
  EXPECT_EQ(theirs->stamped(12), now);
  EXPECT_EQ(mine.stamped(13), host_board::clock::time_point{});
  EXPECT_TRUE(mine.take_report());
  EXPECT_FALSE(theirs->take_report());
  segment_place gone = mine.place();
  ++gone.inode;
  EXPECT_EQ(host_board::open(gone, 300), nullptr);
}

}  // namespace
}  // namespace tess::test
