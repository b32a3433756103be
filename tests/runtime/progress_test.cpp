// progress: a busy place does not delay word operations on it, and idle places cost no processor time.
// Method: one place computes without a co_await while another works on its words; processor time of an idle job.
#include <sys/resource.h>

#include <thread>

#include "runtime/run_job.hpp"
#include "runtime/sanitized.hpp"

namespace tess::test {
namespace {

void compute_while_a_peer_works(char const* fabric, double seconds) {
  run_job({fabric, 2, 1, 2}, [seconds]() -> task<void> {
    struct shared {
      std::atomic<std::int64_t> word{0};
      std::atomic<bool> begun{false};
    };
    auto const h = co_await place_local<shared>::make();
    auto busy = at(
        1,
        [](place_local<shared> s, double length) -> task<std::int64_t> {
          auto const begin = std::chrono::steady_clock::now();
          s->begun = true;
          while (seconds_since(begin) < length) {
          }
          co_return s->word.load();
        },
        h, seconds);
    while (!co_await at(0, [] { return true; })) co_await yield();
    auto const begun = global_ptr<std::uint8_t>::from_bits(h.of(1).bits() + offsetof(shared, begun));
    while (co_await get(begun) == 0) co_await yield();
    auto const word = h.of(1).as<std::int64_t>();
    for (int i = 0; i < 1000; ++i) co_await fetch_add(word, 1);
    EXPECT_EQ(co_await busy, 1000) << "the words waited until the place had computed";
    co_await place_local<shared>::release(h);
  });
}

TEST(progress, fetch_add_on_a_computing_place_completes_meanwhile) {
  compute_while_a_peer_works("smp", 1);
  compute_while_a_peer_works("hostile", 1);
}

double processor_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

TEST(progress, more_places_than_processors_work_and_idle_ones_sleep) {
  for (layout const l : {layout{"smp", 16, 1}, layout{"smp", 64, 1}, layout{"smp", 16, 1, 16}, layout{"hostile", 16, 1},
                         layout{"smp", 4, 4, 16}})
    run_job(l, []() -> task<void> {
      co_await on_all_places([]() -> task<void> { co_await barrier(); });
      double const before = processor_seconds();
      // Nothing to do at any place but this thread's sleep. Threads wake once a second: one such round is measured.
      counter done;
      done.expect(1);
      std::thread clock([&done] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));
        done.acknowledge();
      });
      co_await done;
      clock.join();
      EXPECT_LT(processor_seconds() - before, is_sanitized || is_emulated ? 0.4 : 0.06)
          << "more than 5% of a processor, the work of a sanitizer or an emulator apart";
    });
}

}  // namespace
}  // namespace tess::test
