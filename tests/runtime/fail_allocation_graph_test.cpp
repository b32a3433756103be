// fail_allocation_graph: if any allocation of a call fails, its graphs are freed at both places.
// Method: one large graph goes there and back while the 1st, 2nd, 3rd … allocation fails; one graph that stayed would
// show in the bytes that a segment has left. Counted are frames, slots, segments and operator new, which
// fail_allocation_test.cpp defines.
#include "runtime/job/job.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/random_graphs.hpp"
#include "runtime/run_job.hpp"
#include "tess/detail/tasks/fail_allocation.hpp"

namespace tess::test {
namespace {

/// Less than the graph takes; checked builds hold dead regions of 4 MiB back for a while.
constexpr std::uint64_t slack_bytes = std::uint64_t{8} << 20;

std::uint64_t left_bytes() {
  return detail::this_place().heaps.own->left_bytes();
}
constexpr auto left_bytes_there = [] { return left_bytes(); };

/// A graph goes there and back while the `number`th allocation fails. False: it needs fewer.
bool call_while_failing(std::uint64_t number, copier by, bool no_window) {
  settings s;
  s.places = 2;
  s.workers = s.threads = 1;
  s.no_window = no_window;
  s.stall_timeout = 10;
  bool failed = false;
  testing::internal::CaptureStderr();
  int const code = run(s, {}, [&](args) -> task<int> {
    auto* const root = make<container>();
    root->numbers = array<std::uint16_t>(6'000'000);
    std::uint64_t const before = left_bytes();
    std::uint64_t const before_there = co_await at(1, left_bytes_there);
    {
      detail::failing_allocation const failing(number);
      try {
        co_await finish([root, by]() -> task<void> {
          graph<container> const back = co_await at(1, by, [](container* c) { return c; }, root);
          EXPECT_EQ(back->numbers.size(), root->numbers.size());
        });
      } catch (std::exception const&) {
        // Which of the two ends had no memory does not matter here.
      }
      failed = detail::failing_allocation::happened();
    }
    EXPECT_LE(before, left_bytes() + slack_bytes) << "allocation " << number;
    EXPECT_LE(before_there, slack_bytes + co_await at(1, left_bytes_there)) << "allocation " << number;
    co_return 0;
  });
  std::string const text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(code == 0 || text.starts_with("tess: ")) << "allocation " << number << ": " << text;
  return failed || code != 0;
}

TEST(fail_allocation_graph, leaves_nothing_of_a_call) {
  if (!detail::allocations_can_fail) GTEST_SKIP() << "needs a checked build";
  for (copier const by : {copier::message_passing, copier::pegasus, copier::nemesys})
    for (bool const no_window : {false, true}) {
      std::uint64_t number = 1;
      while (number < 100 && call_while_failing(number, by, no_window)) ++number;
      EXPECT_GT(number, 5U);
      EXPECT_LT(number, 100U);
    }
}

}  // namespace
}  // namespace tess::test
