// library: a program can start places, run tasks on them, run again, stop, and start anew; placement follows settings.
// Method: data kept between runs; the state of the calling thread before and after; every misuse; the affinity and the
// policy of a page as the system reports them.
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <thread>

#include "runtime/job/placement.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

settings settings_of(layout l) {
  settings s;
  s.fabric = l.fabric;
  s.places = l.places;
  s.workers = l.workers;
  s.threads = l.threads;
  s.seed = seed();
  s.stall_timeout = 20;
  return s;
}

class library : public testing::TestWithParam<layout> {};

TEST_P(library, keeps_its_memory_from_run_to_run_and_starts_again) {
  for (int start = 0; start < 3; ++start) {
    runtime places_here(settings_of(GetParam()));
    auto const array =
        places_here.run([]() -> task<global_array<std::uint64_t>> { return global_array<std::uint64_t>::make(1000); });
    for (std::uint64_t round = 1; round <= 3; ++round) {
      auto const add = [array](std::uint64_t i) -> task<void> { co_await fetch_add(array[i], i); };
      places_here.run([&]() -> task<void> { co_await forall(0, 1000, add); });
      std::uint64_t const sum = places_here.run([&]() -> task<std::uint64_t> {
        std::uint64_t s = 0;
        for (std::uint64_t i = 0; i < 1000; ++i) s += co_await get(array[i]);
        co_await on_all_places([]() -> task<void> { co_await barrier(); });
        co_return s;
      });
      EXPECT_EQ(sum, round * 999 * 1000 / 2);
    }
    places_here.stop();
    places_here.stop();
  }
}

TEST_P(library, keeps_its_threads_from_run_to_run) {
  settings s = settings_of(GetParam());
  s.keep_threads = true;
  runtime places_here(s);
  auto const total =
      places_here.run([]() -> task<global_array<std::uint64_t>> { return global_array<std::uint64_t>::make(1); });
  for (std::uint64_t round = 1; round <= 50; ++round) {
    places_here.run([&]() -> task<void> {
      co_await on_all_places([total]() -> task<void> { co_await fetch_add(total[0], std::uint64_t{1}); });
    });
    std::uint64_t const sum = places_here.run([&]() -> task<std::uint64_t> { co_return co_await get(total[0]); });
    EXPECT_EQ(sum, round * GetParam().places);
  }
  EXPECT_THROW(places_here.run([]() -> task<void> {
    throw std::out_of_range("mine");
    co_return;
  }),
               std::out_of_range);
}

TEST_P(library, cancels_a_run_from_another_thread) {
  for (bool const keep : {false, true}) {
    settings s = settings_of(GetParam());
    s.keep_threads = keep;
    runtime places_here(s);
    std::jthread const canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      places_here.cancel("enough");
    });
    try {
      places_here.run([]() -> task<void> {
        for (;;) co_await yield();
      });
      ADD_FAILURE() << "an endless run ended";
    } catch (error const& e) {
      EXPECT_NE(std::string(e.what()).find("enough"), std::string::npos) << e.what();
    }
    EXPECT_THROW(places_here.run([]() -> task<void> { co_return; }), error);
  }
}

TEST_P(library, lets_exceptions_through_and_goes_on) {
  runtime places_here(settings_of(GetParam()));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(places_here.run(
                     []() -> task<void> { co_await finish([] { spawn([] { throw std::out_of_range("mine"); }); }); }),
                 std::out_of_range);
    EXPECT_EQ(places_here.run([]() -> task<int> { co_return static_cast<int>(places()); }), GetParam().places);
  }
}

std::size_t threads_of_process() {
  std::filesystem::directory_iterator const all("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_P(library, leaves_threads_processors_and_signals_as_they_were) {
  cpu_set_t before, after;
  sigset_t signals_before, signals_after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  pthread_sigmask(SIG_SETMASK, nullptr, &signals_before);
  [[maybe_unused]] std::size_t const threads = threads_of_process();  // ThreadSanitizer adds some of its own
  runtime places_here(settings_of(GetParam()));
  auto const caller = std::this_thread::get_id();
  EXPECT_TRUE(places_here.run([caller]() -> task<bool> { co_return std::this_thread::get_id() == caller; }));
#if !defined(__SANITIZE_THREAD__) && !__has_feature(thread_sanitizer)
  // A thread that was joined may be seen for a moment longer.
  for (int i = 0; i < 1000 && threads_of_process() > threads; ++i) std::this_thread::yield();
  EXPECT_EQ(threads_of_process(), threads);
#endif
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  pthread_sigmask(SIG_SETMASK, nullptr, &signals_after);
  EXPECT_EQ(sigismember(&signals_before, SIGUSR1), sigismember(&signals_after, SIGUSR1));
}

TEST_P(library, may_be_run_by_one_thread_after_another) {
  runtime places_here(settings_of(GetParam()));
  for (int i = 0; i < 4; ++i)
    std::thread([&] {
      EXPECT_EQ(places_here.run([]() -> task<unsigned> {
        auto const h = co_await place_local<int>::make(1);
        co_await place_local<int>::release(h);
        co_return places();
      }),
                GetParam().places);
    }).join();
}

TEST(library_misuse, is_an_error) {
  settings s = settings_of({"smp", 2, 1});
  runtime places_here(s);
  EXPECT_THROW(runtime second(s), error);
  EXPECT_THROW(run(s, {}, [](args) -> task<int> { co_return 0; }), error);
  bool refused = false;
  places_here.run([&]() -> task<void> {
    try {
      places_here.run([]() -> task<void> { co_return; });
    } catch (error const&) {
      refused = true;
    }
    co_return;
  });
  EXPECT_TRUE(refused);
  places_here.stop();
  EXPECT_THROW(places_here.run([]() -> task<void> { co_return; }), error);
  EXPECT_EQ(run(s, {}, [](args) -> task<int> { co_return 4; }), 4);
  s.fabric = "unknown";
  EXPECT_THROW(runtime third(s), error);
}

using numbers = std::vector<int>;
using pins = std::vector<std::optional<int>>;

TEST(pinning, reads_lists_of_processors) {
  EXPECT_EQ(detail::read_number_list("0"), numbers{0});
  EXPECT_EQ(detail::read_number_list("3,0-2,7"), (numbers{3, 0, 1, 2, 7}));
  for (char const* const bad : {"", ",", "1,", "2-1", "-1", "a", "1-", "1--2", "99999999", "1 2"})
    EXPECT_TRUE(detail::read_number_list(bad).empty()) << bad;
}

TEST(pinning, gives_each_thread_a_processor_in_turn) {
  numbers const usable{2, 4, 5};
  EXPECT_EQ(detail::plan_pins("", 3, usable), (pins{2, 4, 5}));
  EXPECT_EQ(detail::plan_pins("", 2, usable), (pins{std::nullopt, std::nullopt}));
  EXPECT_EQ(detail::plan_pins("cores", 2, usable), (pins{2, 4}));
  EXPECT_EQ(detail::plan_pins("cores", 4, usable), (pins{2, 4, 5, 2}));
  EXPECT_EQ(detail::plan_pins("5,2", 3, usable), (pins{5, 2, 5}));
  EXPECT_EQ(detail::plan_pins("none", 3, usable), pins(3));
  EXPECT_THROW(static_cast<void>(detail::plan_pins("3", 1, usable)), error);
  EXPECT_THROW(static_cast<void>(detail::plan_pins("core", 1, usable)), error);
}

TEST(pinning, holds_while_a_job_runs) {
  int const cpu = detail::processors().back();
  settings s = settings_of({"smp", 2, 1, 2});
  s.pin = std::to_string(cpu) + "-" + std::to_string(cpu);
  runtime places_here(s);
  places_here.run([cpu]() -> task<void> {
    co_await on_all_places([](int c) { EXPECT_EQ(detail::processors(), numbers{c}); }, cpu);
  });
}

TEST(numa, policies_are_known_or_refused) {
  settings s = settings_of({"smp", 2, 1, 2});
  for (char const* const policy : {"", "local", "interleave", "none"}) {
    s.numa = policy;
    s.pin = "cores";
    EXPECT_EQ(run(s, {}, [](args) -> task<int> { co_return 0; }), 0);
  }
  s.numa = "near";
  EXPECT_THROW(runtime r(s), error);
}

TEST(numa, pages_lie_as_their_policy_says) {
  std::size_t const bytes = 1 << 20;
  void* const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  numbers const nodes = detail::memory_nodes();
  auto const policy_there = [&] {
    int mode = -1;
    return syscall(SYS_get_mempolicy, &mode, nullptr, 0, memory, MPOL_F_ADDR) == 0 ? mode : -1;
  };
  std::span const pages(static_cast<std::byte*>(memory), bytes);
  bool const can =
      !nodes.empty() && policy_there() >= 0 && detail::place_pages(pages, detail::numa_policy::interleave, nodes);
  if (can) {
    EXPECT_EQ(policy_there(), MPOL_INTERLEAVE);
    EXPECT_TRUE(detail::place_pages(pages, detail::numa_policy::local, nodes));
    EXPECT_EQ(policy_there(), MPOL_PREFERRED);
  }
  EXPECT_EQ(munmap(memory, bytes), 0);
  if (!can) GTEST_SKIP() << "this system refuses mbind";
}

INSTANTIATE_TEST_SUITE_P(layouts, library, testing::ValuesIn(few_layouts()), name_of);

}  // namespace
}  // namespace tess::test
