// slow: repeats the fast tests at the scale that the contract names.
// Method: 10^8 tasks between one spawner and one thief; 30 s of computation beside word operations.
#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

TEST(slow, a_hundred_million_tasks_between_spawner_and_thief_use_flat_memory) {
  run_job({"smp", 1, 2, 2}, []() -> task<void> {
    std::uint64_t before = 0;
    auto const reserved = [] {
      std::uint64_t sum = 0;
      for (auto const* w : detail::this_place().workers) sum += w->frames.reserved_bytes();
      return sum;
    };
    for (int round = 0; round < 100; ++round) {
      co_await finish([] {
        for (int i = 0; i < 1000000; ++i) spawn([]() -> task<void> { co_return; }());
      });
      if (round == 4) before = reserved();
    }
    EXPECT_LE(reserved(), before + (std::uint64_t{4} << 20));
  });
}

TEST(slow, words_of_a_place_that_computes_for_30_s_are_served) {
  run_job({"smp", 2, 1, 2}, []() -> task<void> {
    auto const word = co_await at(1, [] { return allocate<std::int64_t>(); });
    co_await put(word, 0);
    auto busy = at(
        1,
        [](global_ptr<std::int64_t> w) -> task<std::int64_t> {
          auto const begin = std::chrono::steady_clock::now();
          while (seconds_since(begin) < 30) {
          }
          co_return co_await get(w);
        },
        word);
    for (int i = 0; i < 1000; ++i) co_await fetch_add(word, 1);
    EXPECT_EQ(co_await busy, 1000);
  });
}

}  // namespace
}  // namespace tess::test
