// step_word: who waits for a step sees it or is notified, whatever the order of raising and asking.
// Method: two threads take turns at waiting and raising, without looking first, so that both meet often.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/events/collective.hpp"
#include "runtime/events/fence_others.hpp"
#include "test_seed.hpp"

namespace tess::test {
namespace {

using detail::step_word;

/// Who fences: the members that raise steps, or those that wait for all.
class step_words : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && !detail::can_fence_others()) GTEST_SKIP() << "this system has no membarrier";
  }
};

TEST_P(step_words, say_who_waits_for_this_step_and_for_no_other) {
  step_word w;
  EXPECT_FALSE(w.raised(1));
  w.ask(1, 3);
  w.ask(1, 7);
  EXPECT_TRUE(w.will_notify(1, 3));
  EXPECT_EQ(w.raise(1, GetParam()), 1U << 3 | 1U << 7);
  EXPECT_TRUE(w.raised(1));
  EXPECT_FALSE(w.raised(2));
  EXPECT_EQ(w.raise(2, GetParam()), 0U);
}

TEST_P(step_words, notify_nobody_who_asked_too_late) {
  step_word w;
  EXPECT_EQ(w.raise(1, GetParam()), 0U);
  w.ask(1, 2);
  EXPECT_FALSE(w.will_notify(1, 2));
  w.ask(2, 2);
  EXPECT_EQ(w.raise(2, GetParam()), 1U << 2);
  EXPECT_EQ(w.raise(3, GetParam()), 0U);
}

/// One of two, who tells the other through `notified`.
struct member {
  alignas(64) step_word word;
  alignas(64) std::atomic<std::uint64_t> notified{0};
};

/// False: the other did not come within ten seconds.
bool meet(member& mine, member& other, unsigned my_rank, std::uint64_t step, bool waiters_fence) {
  if (mine.word.raise(step, waiters_fence) != 0) other.notified.store(step, std::memory_order_release);
  other.word.ask(step, my_rank);
  detail::wait_fence(waiters_fence);
  if (!other.word.will_notify(step, my_rank)) return true;
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (unsigned looks = 0; mine.notified.load(std::memory_order_acquire) != step; ++looks) {
    // Other work may keep the other's processor.
    if (looks > 200) std::this_thread::yield();
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return other.word.raised(step);
}

TEST_P(step_words, lose_no_wait) {
  constexpr std::uint64_t steps = 20'000;
  TESS_PRINT_SEED(seed());
  member members[2];
  std::uint64_t reached[2]{};
  auto const run = [&](unsigned me) {
    random by(seed() + me);
    for (std::uint64_t step = 1; step <= steps; ++step) {
      for (std::uint64_t i = by.below(256); i > 0; --i) std::atomic_signal_fence(std::memory_order_seq_cst);
      if (!meet(members[me], members[1 - me], me, step, GetParam())) return;
      reached[me] = step;
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  EXPECT_EQ(reached[0], steps);
  EXPECT_EQ(reached[1], steps);
}

INSTANTIATE_TEST_SUITE_P(all, step_words, testing::Values(false, true),
                         [](auto const& tested) { return tested.param ? "waiting_fences" : "raising_fences"; });

}  // namespace
}  // namespace tess::test
