// shutdown: a job ends in order although words and calls without a waiter are still on their way.
// Method: many short jobs on every fabric, each ended with all of these in flight; calls must have run, as the job's
// own finish waits for them, and the rest must neither crash nor reach the next job.
#include <atomic>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

// The places of these jobs are threads of one process.
std::atomic<int> ran{0};

constexpr int calls = 200;
class shutdowns : public on_layouts {};

TEST_P(shutdowns, with_operations_and_messages_in_flight) {
  constexpr int jobs = 12;
  for (int j = 0; j < jobs; ++j) {
    ran = 0;
    run_here([]() -> task<void> {
      auto const last = static_cast<place_id>(places() - 1);
      auto const words = co_await at(last, [] { return allocate<std::uint64_t>(calls); });
      for (int i = 0; i < calls; ++i) {
        auto const abandoned = fetch_add(words + i, 1);
        abandoned.abandon();
        auto const written = put(words + i, 7);
        written.abandon();
        at_async(
            last,
            [](place_id back) {
              ++ran;
              at_async(back, [] { ++ran; });
            },
            here());
      }
    });
    ASSERT_EQ(ran.load(), 2 * calls) << "in job " << j;
  }
}

INSTANTIATE_TEST_SUITE_P(layouts, shutdowns, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
