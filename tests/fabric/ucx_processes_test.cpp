// ucx_processes: the fabric's contract between two processes, each of which polls for itself only.
// Method: both run the same cases in the same order, started by `mpirun -n 2`, each as issuer and as target; with
// TESS_NO_WINDOW=1 without windows. failures.py tests what the fabric does when one of them ends.
#include <array>
#include <cstdlib>
#include <set>

#include "fabric/fabric_contract.hpp"

namespace tess::test {
namespace {

/// Offsets in each segment; not 0, which at place 0 is a null address.
constexpr std::uint64_t done_at = 64, arrived_at = 256, word_at = 512, block_at = 4096, second_block_at = 512 << 10;
constexpr std::uint64_t room = 1 << 20;

class two_processes : public testing::Test {
 protected:
  void SetUp() override {
    std::unique_ptr<process_wireup> wires = make_wireup(std::chrono::seconds(20));
    if (wires->places() != 2) GTEST_SKIP() << "needs two processes: mpirun -n 2";
    wires_ = wires.get();
    me_ = wires->place();
    other_ = static_cast<place_id>(1 - me_);
    thread_map map{2, std::vector<std::vector<std::uint32_t>>(2), 1};
    map.threads_of_place[me_].push_back(0);
    bool const windows = std::getenv("TESS_NO_WINDOW") == nullptr;
    fabric_ = make_ucx_fabric(map, {.windows = windows, .identity = {}}, std::move(wires));
    ASSERT_TRUE(fabric_->extend_segment(me_, 0, room));
    for (std::uint64_t const at : {done_at, arrived_at}) new (mine(at)) completion(1);
    std::memset(mine(word_at), 0, 8);
    ASSERT_TRUE(wires_->meet(std::chrono::seconds(20)));
  }
  void TearDown() override {
    if (fabric_ == nullptr) return;
    // The other place needs this one until it has said so.
    fabric_->put(me_, {}, 0, nullptr, address(other_, done_at));
    settle(*reinterpret_cast<completion*>(mine(done_at)));
  }

  std::byte* mine(std::uint64_t offset) { return fabric_->segment(me_).base + offset; }
  template <class Condition>
  void poll_until(Condition reached) {
    auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!reached() && std::chrono::steady_clock::now() < limit) static_cast<void>(fabric_->poll(me_, 16, sink_));
  }
  void settle(completion const& c) {
    poll_until([&] { return c.idle(); });
    ASSERT_TRUE(c.idle()) << "place " << me_ << ": an operation never completed";
  }
  /// A barrier: what the other place did before is visible.
  void meet() { ASSERT_TRUE(wires_->meet(std::chrono::seconds(20))); }

  wireup* wires_ = nullptr;
  place_id me_ = 0, other_ = 1;
  std::unique_ptr<fabric> fabric_;
  collecting_sink sink_;
};

TEST_F(two_processes, words_of_both_add_up_at_each) {
  constexpr unsigned additions = 1000;
  struct old_value {
    std::uint64_t words[2];
  };
  std::vector<old_value> old(2 * additions);
  completion done(2 * additions);
  for (unsigned i = 0; i < 2 * additions; ++i) {
    word_request const one{
        word_op::fetch_add, word_type::u64, 8, 8, address(i % 2 == 0 ? me_ : other_, word_at), {1, 0}};
    fabric_->word(me_, one, old[i].words, done);
    if (i % 300 == 0) static_cast<void>(fabric_->poll(me_, 16, sink_));
  }
  settle(done);
  std::array<std::set<std::uint64_t>, 2> seen;
  for (unsigned i = 0; i < 2 * additions; ++i) EXPECT_TRUE(seen[i % 2].insert(old[i].words[0]).second);
  meet();
  std::uint64_t sum = 0;
  std::memcpy(&sum, mine(word_at), sizeof sum);
  EXPECT_EQ(sum, 2 * additions);
}

TEST_F(two_processes, blocks_of_any_size_come_back_as_they_went) {
  for (std::size_t const bytes : {1UZ, 8UZ, 4096UZ, 65536UZ, 300000UZ}) {
    auto const sent = pattern(bytes, bytes + me_);
    completion done(1);
    fabric_->put(me_, sent, address(other_, block_at), &done, 0);
    settle(done);
    std::vector<std::byte> back(bytes);
    done.expect(1);
    fabric_->get(me_, address(other_, block_at), back, &done);
    settle(done);
    EXPECT_EQ(back, sent) << bytes << " bytes";
    done.expect(1);
    fabric_->copy(me_, address(other_, block_at), address(me_, second_block_at), bytes, &done);
    settle(done);
    EXPECT_EQ(std::memcmp(mine(second_block_at), sent.data(), bytes), 0) << bytes << " bytes copied";
  }
}

TEST_F(two_processes, a_notification_comes_behind_its_bytes) {
  auto const sent = pattern(200000, me_);
  completion done(1);
  fabric_->put(me_, sent, address(other_, block_at), &done, address(other_, arrived_at));
  settle(*reinterpret_cast<completion*>(mine(arrived_at)));
  auto const expected = pattern(200000, other_);
  EXPECT_EQ(std::memcmp(mine(block_at), expected.data(), expected.size()), 0);
  settle(done);
}

TEST_F(two_processes, messages_arrive_exactly_once_though_credit_runs_out) {
  constexpr std::uint32_t messages = 500;
  // More than the credit of 128 KiB at a time.
  std::vector<std::byte> bytes(1000);
  for (std::uint32_t i = 0; i < messages; ++i) {
    std::memcpy(bytes.data(), &i, sizeof i);
    bool sent = false;
    poll_until([&] { return sent = fabric_->try_send(me_, other_, message_class::request, bytes); });
    ASSERT_TRUE(sent) << "no credit comes back";
  }
  poll_until([&] { return sink_.messages.size() >= messages; });
  ASSERT_EQ(sink_.messages.size(), messages);
  std::set<std::uint32_t> seen;
  for (auto const& m : sink_.messages) {
    std::uint32_t i = messages;
    std::memcpy(&i, m.bytes.data(), sizeof i);
    EXPECT_EQ(m.source, other_);
    EXPECT_EQ(m.bytes.size(), bytes.size());
    EXPECT_LT(i, messages);
    seen.insert(i);
  }
  EXPECT_EQ(seen.size(), messages);
}

}  // namespace
}  // namespace tess::test
