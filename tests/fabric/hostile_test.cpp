// hostile: the test fabric is late, out of order, refuses messages, and hides bytes until refresh.
// Method: look for each of these in a bounded number of tries; finding none is a failure.
#include <algorithm>

#include "fabric/fabric_contract.hpp"

namespace tess::test {
namespace {

class hostile : public fabric_contract {};

TEST_P(hostile, has_no_windows_and_no_coherence) {
  EXPECT_FALSE(fabric_->coherent());
  EXPECT_EQ(fabric_->window(1).load, nullptr);
  EXPECT_EQ(fabric_->window(1).atomic, nullptr);
}

TEST_P(hostile, bytes_of_a_put_stay_invisible_until_refresh) {
  std::memset(memory(1, 8192), 0, 64);
  auto const bytes = pattern(64, 9);
  completion done;
  done.expect(1);
  fabric_->put(0, bytes, address(1, 8192), &done, 0);
  settle(done);
  EXPECT_EQ(memory(1, 8192)[0], std::byte{0});
  fabric_->refresh(1, 8192 + 64, 64);
  EXPECT_EQ(memory(1, 8192)[0], std::byte{0}) << "a refresh beside the range showed it";
  fabric_->refresh(1, 8192, 64);
  EXPECT_EQ(std::memcmp(memory(1, 8192), bytes.data(), 64), 0);
}

TEST_P(hostile, a_source_changed_before_completion_is_noticed) {
  unsigned noticed = 0;
  for (int i = 0; i < 64; ++i) {
    auto bytes = pattern(16, 1);
    completion done;
    done.expect(1);
    fabric_->put(0, bytes, address(1, 8192), &done, 0);
    std::ranges::fill(bytes, std::byte{0xee});
    settle(done);
    fabric_->refresh(1, 8192, 16);
    noticed += memory(1, 8192)[0] == std::byte{0xee};
  }
  EXPECT_EQ(noticed, 64U);
}

TEST_P(hostile, operations_complete_late_and_out_of_order) {
  bool late = false, disordered = false;
  for (int round = 0; round < 64; ++round) {
    std::uint64_t results[4][2];
    completion done[4];
    for (std::uint64_t i = 0; i < 4; ++i) {
      done[i].expect(1);
      fabric_->word(0, {word_op::fetch_add, word_type::u64, 8, 8, address(1, 8192), {1, 0}}, results[i], done[i]);
    }
    late |= !done[0].idle();
    for (completion& c : done) settle(c);
    for (int i = 1; i < 4; ++i) disordered |= results[i][0] < results[i - 1][0];
  }
  EXPECT_TRUE(late);
  EXPECT_TRUE(disordered);
}

TEST_P(hostile, messages_are_refused_at_random_and_overtake_each_other) {
  unsigned refused = 0;
  std::uint64_t sent = 0;
  while (sent < 200) {
    if (fabric_->try_send(0, 1, message_class::request, std::as_bytes(std::span(&sent, 1))))
      ++sent;
    else if (++refused % 8 == 0)
      poll_all();
  }
  deliver_all(200);
  std::vector<std::uint64_t> order;
  for (auto const& m : sink_.messages) {
    std::uint64_t n;
    std::memcpy(&n, m.bytes.data(), sizeof n);
    order.push_back(n);
  }
  EXPECT_GT(refused, 0U);
  EXPECT_FALSE(std::ranges::is_sorted(order));
}

TEST_P(hostile, the_same_seed_gives_the_same_order) {
  auto const order = [] {
    auto const f = GetParam().make(one_thread_per_place(2), 42);
    EXPECT_TRUE(f->extend_segment(0, 0, 4096));
    collecting_sink sink;
    for (std::uint64_t i = 0; i < 30; ++i)
      static_cast<void>(f->try_send(1, 0, message_class::reply, std::as_bytes(std::span(&i, 1))));
    while (f->poll(0, 3, sink) != 0) {
    }
    std::vector<std::vector<std::byte>> v;
    for (auto& m : sink.messages) v.push_back(m.bytes);
    return v;
  };
  EXPECT_EQ(order(), order());
}

INSTANTIATE_TEST_SUITE_P(fabrics, hostile, testing::Values(all_fabrics().back()), name_of);

}  // namespace
}  // namespace tess::test
