// place_failure: a failed place ends every wait that depends on it, with its name; tasks may catch that and go on.
// Method: the fabric `hostile` lets the last place fail while tasks of the others wait, in each way of waiting, and
// while random trees of tasks run; every wait has a time limit.
#include <functional>

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

place_id last() {
  return static_cast<place_id>(places() - 1);
}

void fail(place_id p) {
  detail::the_job->fabric->capabilities().fail(p, "on host of a test: it was told to");
}

/// Lets the last place fail, some time after the caller began to wait.
task<void> fail_soon() {
  co_await sleep_for(std::chrono::milliseconds(20));
  fail(last());
}

struct outcome {
  int code = -1;
  std::string text;
  double seconds = 0;
};

outcome run_failing(layout l, std::function<task<int>()> const& app, double failure_timeout = 5) {
  settings s;
  s.fabric = l.fabric;
  s.places = l.places;
  s.workers = l.workers;
  s.threads = l.threads;
  s.no_window = l.no_window;
  s.seed = seed();
  s.failure_timeout = failure_timeout;
  outcome o;
  auto const begin = std::chrono::steady_clock::now();
  testing::internal::CaptureStderr();
  o.code = run(s, {}, [&](args) -> task<int> { co_return co_await app(); });
  o.text = testing::internal::GetCapturedStderr();
  o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return o;
}

class a_failed_place : public testing::TestWithParam<layout> {
 protected:
  /// `wait` is to end with place_failed, in time, and the program goes on.
  template <class Wait>
  void expect_told(Wait wait) {
    std::string heard;
    outcome const o = run_failing(GetParam(), [&]() -> task<int> {
      // Beside the finish of the wait: the failure is part of neither.
      auto const failing = async(fail_soon());
      try {
        co_await wait();
      } catch (place_failed const& e) {
        EXPECT_EQ(e.place(), last());
        heard = e.what();
      }
      co_await failing;
      co_return 7;
    });
    EXPECT_EQ(heard, "place " + std::to_string(GetParam().places - 1) + " failed on host of a test: it was told to");
    EXPECT_EQ(o.code, 7) << "the program caught it and ended in order\n" << o.text;
    EXPECT_LT(o.seconds, 4);
    EXPECT_NE(o.text.find("failed on host of a test"), std::string::npos) << o.text;
  }
};

TEST_P(a_failed_place, ends_an_at_that_waits_for_it) {
  expect_told(
      []() -> task<void> { co_await at(last(), []() -> task<void> { co_await sleep_for(std::chrono::hours(1)); }); });
}

TEST_P(a_failed_place, ends_an_at_that_waits_for_one_that_waits_for_it) {
  expect_told([]() -> task<void> {
    co_await at(1, []() -> task<void> {
      co_await at(last(), []() -> task<void> { co_await sleep_for(std::chrono::hours(1)); });
    });
  });
}

TEST_P(a_failed_place, ends_a_finish_with_tasks_there) {
  expect_told([]() -> task<void> {
    co_await finish([] {
      for (unsigned p = 0; p < places(); ++p)
        at_async(static_cast<place_id>(p), []() -> task<void> {
          if (here() == last()) co_await sleep_for(std::chrono::hours(1));
        });
    });
  });
}

TEST_P(a_failed_place, ends_a_barrier) {
  expect_told([]() -> task<void> {
    co_await finish([] {
      for (unsigned p = 0; p + 1 < places(); ++p)
        at_async(static_cast<place_id>(p), []() -> task<void> { co_await barrier(); });
    });
  });
}

TEST_P(a_failed_place, ends_a_reduction) {
  expect_told([]() -> task<void> {
    co_await finish([] {
      for (unsigned p = 0; p + 1 < places(); ++p)
        at_async(static_cast<place_id>(p),
                 []() -> task<void> { static_cast<void>(co_await all_reduce(1, std::plus())); });
    });
  });
}

TEST_P(a_failed_place, ends_waits_for_a_counter_that_anybody_may_acknowledge) {
  expect_told([]() -> task<void> {
    counter c;
    c.expect(1);
    co_await c;
  });
}

TEST_P(a_failed_place, ends_waits_for_events_of_the_own_place_and_of_others) {
  expect_told([]() -> task<void> {
    sync_var<int> empty;
    auto const other = async([](global_ptr<sync_var<int>> v) -> task<void> {
      co_await at(1, [](global_ptr<sync_var<int>> w) -> task<void> { static_cast<void>(co_await read_fe(w)); }, v);
    }(empty.address()));
    std::exception_ptr mine;
    try {
      static_cast<void>(co_await empty.read_ff());
    } catch (...) {
      mine = std::current_exception();
    }
    EXPECT_TRUE(mine) << "an empty variable was read";
    co_await other;
  });
}

TEST_P(a_failed_place, ends_waits_for_a_queue_and_a_mutex) {
  expect_told([]() -> task<void> {
    queue<int, 2> q;
    mutex m;
    co_await m.lock();
    std::atomic<unsigned> told = 0;  // by two tasks, which may be on two workers
    co_await finish([&] {
      spawn([&]() -> task<void> {
        try {
          static_cast<void>(co_await q.pop());
        } catch (place_failed const&) {
          ++told;
        }
      });
      spawn([&]() -> task<void> {
        try {
          auto const held = co_await m.guard();
        } catch (place_failed const&) {
          ++told;
        }
      });
    });
    EXPECT_EQ(told, 2U);
    m.unlock();
    throw place_failed(last(), "on host of a test: it was told to");
  });
}

TEST_P(a_failed_place, ends_words_and_blocks_there_now_and_later) {
  expect_told([]() -> task<void> {
    global_ptr<std::uint64_t> const there = co_await at(last(), [] { return allocate<std::uint64_t>(1000); });
    std::vector<std::uint64_t> numbers(1000, 3);
    unsigned told = 0;
    for (int i = 0; i < 2; ++i) {
      try {
        for (;;) static_cast<void>(co_await fetch_add(there, 1));
      } catch (place_failed const&) {
        ++told;
      }
      try {
        for (;;) {
          co_await put(numbers, there);
          co_await get(there, numbers);
        }
      } catch (place_failed const&) {
        ++told;
      }
    }
    EXPECT_EQ(told, 4U);
    throw place_failed(last(), "on host of a test: it was told to");
  });
}

TEST_P(a_failed_place, leaves_the_others_to_work_on) {
  std::uint64_t sum = 0;
  outcome const o = run_failing(GetParam(), [&]() -> task<int> {
    co_await fail_soon();
    try {
      co_await barrier();
    } catch (place_failed const&) {
    }
    // Later waits that hang on anybody do not begin; the others work.
    for (unsigned p = 0; p + 1 < places(); ++p)
      sum += co_await at(static_cast<place_id>(p), []() -> task<std::uint64_t> {
        std::atomic<std::uint64_t> n = 0;
        co_await finish([&] {
          for (int i = 0; i < 10; ++i) spawn([&n]() -> task<void> { n += 1, co_await yield(); });
        });
        co_return n.load();
      });
    co_await finish([] {
      for (unsigned p = 0; p + 1 < places(); ++p) at_async(static_cast<place_id>(p), [] {});
    });
    bool refused = false;
    try {
      co_await finish([] { at_async(last(), [] {}); });
    } catch (place_failed const& e) {
      refused = e.place() == last();
    }
    EXPECT_TRUE(refused) << "a task that was lost did not end its finish with place_failed";
    co_return 0;
  });
  EXPECT_EQ(o.code, 0) << o.text;
  EXPECT_EQ(sum, 10 * (GetParam().places - 1U));
}

TEST_P(a_failed_place, that_nobody_catches_ends_the_job_with_one_message) {
  outcome const o = run_failing(GetParam(), []() -> task<int> {
    co_await finish([] {
      spawn(fail_soon());
      for (unsigned p = 0; p < places(); ++p)
        at_async(static_cast<place_id>(p), []() -> task<void> { co_await barrier(), co_await barrier(); });
      spawn([]() -> task<void> {
        counter c;
        c.expect(1);
        co_await c;
      });
    });
    co_return 0;
  });
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.text,
            "tess: place " + std::to_string(GetParam().places - 1) + " failed on host of a test: it was told to\n");
  EXPECT_LT(o.seconds, 4);
}

TEST_P(a_failed_place, cannot_keep_a_program_that_goes_on_for_ever) {
  outcome const o = run_failing(
      GetParam(),
      []() -> task<int> {
        fail(last());
        for (;;) co_await yield();
      },
      1);
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.text.find("place " + std::to_string(GetParam().places - 1) + " failed"), std::string::npos) << o.text;
  EXPECT_LT(o.seconds, 5);
}

TEST_P(a_failed_place, ends_abandoned_operations_for_their_finish) {
  outcome const o = run_failing(GetParam(), []() -> task<int> {
    sync_var<int> empty;
    try {
      co_await finish([&] {
        at(last(), []() -> task<void> { co_await sleep_for(std::chrono::hours(1)); }).abandon();
        at_async(1, [](global_ptr<sync_var<int>> v) { static_cast<void>(read_fe(v)); }, empty.address());
        spawn(fail_soon());
      });
      ADD_FAILURE() << "the finish ended well";
    } catch (place_failed const&) {
    }
    co_return 3;
  });
  EXPECT_EQ(o.code, 3) << o.text;
  EXPECT_LT(o.seconds, 4);
}

/// A tree of tasks over all places; each counts itself, for as long as it lives, at place 0.
std::atomic<int> running{0};
task<void> tree(unsigned depth, std::uint64_t random) {
  struct counted {
    counted() { ++running; }
    ~counted() { --running; }
  };
  std::optional<counted> c;
  if (here() != last()) c.emplace();
  for (int i = 0; i < 3 && depth > 0; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    auto const to = static_cast<place_id>((random >> 33) % places());
    if ((random >> 60) % 3 == 0) {
      co_await at(
          to,
          [](unsigned d, std::uint64_t r) -> task<void> {
            spawn(tree(d, r));
            co_await yield();
          },
          depth - 1, random);
    } else {
      at_async(to, [](unsigned d, std::uint64_t r) { return tree(d, r); }, depth - 1, random);
    }
    co_await yield();
  }
}

TEST_P(a_failed_place, leaves_no_task_of_a_finish_that_ended) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    running = 0;
    outcome const o = run_failing(GetParam(), [&]() -> task<int> {
      auto const failing = async([](std::uint64_t n) -> task<void> {
        for (std::uint64_t i = 0; i < n; ++i) co_await yield();
        fail(last());
      }(round * 40));
      try {
        co_await finish([&]() -> task<void> { co_await tree(6, seed() * 100 + round); });
      } catch (place_failed const&) {
      }
      EXPECT_EQ(running, 0) << "tasks run on after their finish, round " << round;
      co_await failing;
      co_return 0;
    });
    ASSERT_EQ(o.code, 0) << "round " << round << '\n' << o.text;
    ASSERT_LT(o.seconds, 4);
  }
}

INSTANTIATE_TEST_SUITE_P(layouts, a_failed_place,
                         testing::Values(layout{"hostile", 3, 1, 3}, layout{"hostile", 3, 1, 1},
                                         layout{"hostile", 4, 2, 4}),
                         name_of);

}  // namespace
}  // namespace tess::test
