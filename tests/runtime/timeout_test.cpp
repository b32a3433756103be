// timeout: awaits are given up in time and not before, and late results of given-up operations do no harm.
// Method: each kind of await, given up and not, on every fabric; requests of stop from tasks, threads and time at once;
// the step between a wake-up and a request is made by hand.
#include <algorithm>
#include <atomic>
#include <thread>

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using steady = std::chrono::steady_clock;

class timeouts : public on_layouts {};

template <class X>
task<bool> times_out(X&& x, steady::duration after) {
  auto const begin = steady::now();
  try {
    static_cast<void>(co_await with_timeout(std::forward<X>(x), after));
    co_return false;
  } catch (timed_out const&) {
    EXPECT_GE(steady::now() - begin, after);
    co_return true;
  }
}

TEST_P(timeouts, of_a_counter_leave_it_counting) {
  run_here([]() -> task<void> {
    counter c;
    for (int i = 0; i < 20; ++i) {
      c.expect(1);
      bool given_up = false;
      try {
        co_await with_timeout(c, 1ms);
      } catch (timed_out const&) {
        given_up = true;
      }
      EXPECT_TRUE(given_up);
      notify(c.address());
      co_await with_timeout(c, 20s);
    }
  });
}

TEST_P(timeouts, give_what_is_there_in_time) {
  run_here([]() -> task<void> {
    auto const p = static_cast<place_id>(places() - 1);
    auto const w = co_await at(p, [] { return allocate<std::uint64_t>(); });
    co_await with_timeout(put(w, 41), 20s);
    EXPECT_EQ(co_await with_timeout(fetch_add(w, 1), 20s), 41U);
    EXPECT_EQ(co_await with_stop(get(w), std::stop_token()), 42U);
    EXPECT_EQ(co_await with_timeout(at(p, [](int i) { return i + 1; }, 6), 20s), 7);
    EXPECT_EQ(co_await with_timeout([]() -> task<int> { co_return co_await at(0, [] { return 5; }); }(), 20s), 5);
    EXPECT_EQ(co_await with_timeout([]() -> task<int> { co_return 3; }(), std::chrono::hours::max()), 3);
    co_await with_timeout(yield(), 20s);
    int back[2];
    co_await with_timeout(get(w.as<int>(), back), 20s);
    EXPECT_EQ(back[0], 42);
    co_await at(p, [](auto g) { deallocate(g); }, w);
  });
}

// Now and then a task whose await is done lets others run first: that is not late.
TEST_P(timeouts, of_zero_give_what_is_ready) {
  run_here([]() -> task<void> {
    auto& items = *new queue<int, 16>;
    auto const seven = async([]() -> task<int> { co_return 7; }());
    EXPECT_EQ(co_await seven, 7);
    std::stop_source stop;
    stop.request_stop();
    for (int i = 0; i < 200; ++i) {
      EXPECT_EQ(co_await with_timeout(seven, 0ms), 7);
      EXPECT_TRUE(items.try_push(i));
      EXPECT_EQ(co_await with_timeout(items.pop(), 0ms), i);
      EXPECT_TRUE(items.try_push(i));
      EXPECT_EQ(co_await with_stop(items.pop(), stop.get_token()), i);
    }
    delete &items;
  });
}

TEST_P(timeouts, of_words_abandon_them_but_they_take_effect) {
  run_here([]() -> task<void> {
    auto const w = co_await at(static_cast<place_id>(places() - 1), [] { return allocate<std::int64_t>(); });
    co_await put(w, 0);
    constexpr int tries = 500;
    int late = 0;
    co_await finish([&]() -> task<void> {
      for (int i = 0; i < tries; ++i) {
        try {
          co_await with_timeout(fetch_add(w, 1), std::chrono::microseconds(i % 4 - 1));
        } catch (timed_out const&) {
          ++late;
        }
      }
    });
    // An operation that was given up is left out where it is done by its task.
    bool const by_task =
        detail::job.load_window[w.place()] != detail::no_window || detail::self->verifies || *GetParam().delay != '\0';
    std::int64_t const least = tries - (by_task ? late : 0);
    auto const limit = steady::now() + 20s;
    while (co_await get(w) < least && steady::now() < limit) co_await yield();
    EXPECT_GE(co_await get(w), least);
    EXPECT_LE(co_await get(w), tries);
    co_await at(w.place(), [](auto g) { deallocate(g); }, w);
  });
}

TEST_P(timeouts, of_an_at_leave_it_to_the_finish) {
  run_here([]() -> task<void> {
    auto const p = static_cast<place_id>(places() - 1);
    auto const may_end = allocate<std::int64_t>();
    auto const ended = allocate<std::int64_t>();
    co_await put(may_end, 0);
    co_await put(ended, 0);
    co_await finish([&]() -> task<void> {
      auto slow = at(
          p,
          [](global_ptr<std::int64_t> go, global_ptr<std::int64_t> done) -> task<void> {
            while (co_await get(go) == 0) co_await sleep_for(1ms);
            co_await put(done, 1);
          },
          may_end, ended);
      EXPECT_TRUE(co_await times_out(slow, 2ms));
      EXPECT_EQ(co_await get(ended), 0);
      co_await put(may_end, 1);
    });
    EXPECT_EQ(co_await get(ended), 1);
    deallocate(may_end);
    deallocate(ended);
  });
}

TEST_P(timeouts, of_a_barrier_leave_it_to_the_next_one) {
  run_here([]() -> task<void> {
    auto const came = allocate<std::uint64_t>();
    co_await put(came, 0);
    co_await on_all_places(
        [](global_ptr<std::uint64_t> arrivals) -> task<void> {
          for (std::uint64_t round = 1; round <= 4; ++round) {
            // Place 0 comes when the others have given up once at least.
            if (here() == 0 && places() > 1) co_await sleep_for(10ms);
            co_await fetch_add(arrivals, 1);
            for (bool through = false; !through;) {
              try {
                co_await with_timeout(barrier(), here() == 0 ? steady::duration(20s) : steady::duration(1ms));
                through = true;
              } catch (timed_out const&) {
              }
            }
            EXPECT_EQ(co_await get(arrivals), round * places());
            co_await barrier();
          }
        },
        came);
    deallocate(came);
  });
}

TEST_P(timeouts, of_a_reduction_refuse_the_next_one) {
  run_here([]() -> task<void> {
    if (places() < 2) co_return;
    bool const gave_up = co_await at(1, []() -> task<bool> {
      team const t = team::world();
      // Long enough for the reduction to begin, however busy the machine is: one that has not begun is not refused.
      bool const late = co_await times_out(t.all_reduce(1), 100ms);
      bool refused = false;
      try {
        static_cast<void>(co_await t.all_reduce(1));
      } catch (error const&) {
        refused = true;
      }
      co_return late&& refused;
    });
    EXPECT_TRUE(gave_up);
  });
}

TEST_P(timeouts, of_an_exchange_refuse_the_next_one) {
  run_here([]() -> task<void> {
    if (places() < 2) co_return;
    co_await on_all_places([]() -> task<void> {
      std::vector<int> const one(1);
      std::vector<int> every(places());
      co_await all_gather(one, std::span(every));
    });
    bool const gave_up = co_await at(1, []() -> task<bool> {
      std::vector<int> values(5000);
      bool const late = co_await times_out(all_reduce(std::span(values)), 100ms);
      bool refused = false;
      try {
        co_await all_reduce(std::span(values));
      } catch (error const&) {
        refused = true;
      }
      co_return late&& refused;
    });
    EXPECT_TRUE(gave_up);
  });
}

struct ended {
  int* count;
  explicit ended(int& c) : count(&c) {}
  ended(ended const&) = delete;
  ended& operator=(ended const&) = delete;
  ~ended() { ++*count; }
};

task<void> wait_for_ever(int depth, int& ends) {
  ended const e(ends);
  if (depth > 0) {
    co_await wait_for_ever(depth - 1, ends);
    co_return;
  }
  counter never;
  never.expect(1);
  try {
    co_await never;
  } catch (...) {
    never.acknowledge();
    throw;
  }
}

TEST_P(timeouts, of_a_task_stop_it_and_await_its_end) {
  run_here([]() -> task<void> {
    int ends = 0;
    EXPECT_TRUE(co_await times_out(wait_for_ever(3, ends), 2ms));
    EXPECT_EQ(ends, 4);
    EXPECT_TRUE(co_await times_out(
        [](int& e) -> task<void> {
          ended const end(e);
          for (;;) co_await yield();
        }(ends),
        2ms));
    EXPECT_EQ(ends, 5);
    // In the body of a finish, whose tasks are waited for.
    std::atomic<bool> slept = false;
    EXPECT_TRUE(co_await times_out(
        [](int& e, std::atomic<bool>& s) -> task<void> {
          co_await finish([&]() -> task<void> {
            spawn([&]() -> task<void> {
              co_await sleep_for(10ms);
              s = true;
            });
            co_await wait_for_ever(0, e);
          });
        }(ends, slept),
        1ms));
    EXPECT_TRUE(slept);
    EXPECT_EQ(ends, 6);
    EXPECT_TRUE(co_await times_out(wait_for_ever(0, ends), 0ms)) << "does not start";
    EXPECT_EQ(ends, 6);
  });
}

TEST_P(timeouts, leave_a_task_that_ends_in_spite_of_them_its_result) {
  run_here([]() -> task<void> {
    int const value = co_await with_timeout(
        []() -> task<int> {
          bool again = false;
          try {
            co_await sleep_for(10s);
          } catch (stopped const&) {
            again = true;
          }
          // The request stays.
          try {
            co_await sleep_for(10s);
          } catch (stopped const&) {
            co_return again ? 8 : 1;
          }
          co_return 0;
        }(),
        1ms);
    EXPECT_EQ(value, 8);
    bool other = false;
    try {
      co_await with_timeout(
          []() -> task<void> {
            try {
              co_await sleep_for(10s);
            } catch (stopped const&) {
            }
            throw std::out_of_range("mine");
          }(),
          1ms);
    } catch (std::out_of_range const&) {
      other = true;
    }
    EXPECT_TRUE(other);
  });
}

TEST_P(timeouts, that_are_nested_end_at_the_one_whose_time_is_over) {
  run_here([]() -> task<void> {
    int inner_timed_out = 0, inner_stopped = 0;
    auto const child = [&](steady::duration inner) -> task<void> {
      try {
        co_await with_timeout(sleep_for(20s), inner);
      } catch (timed_out const&) {
        ++inner_timed_out;
      } catch (stopped const&) {
        ++inner_stopped;
        throw;
      }
    };
    EXPECT_FALSE(co_await times_out(child(1ms), 20s));
    // Long enough for the inner wait to begin on a busy machine.
    EXPECT_TRUE(co_await times_out(child(10s), 50ms));
    EXPECT_EQ(inner_timed_out, 1);
    EXPECT_EQ(inner_stopped, 1);
    std::stop_source source;
    EXPECT_TRUE(co_await times_out(with_stop(child(10s), source.get_token()), 50ms));
    EXPECT_EQ(inner_stopped, 2);
    // The task is as it was.
    co_await sleep_for(1ms);
    co_await yield();
  });
}

TEST_P(timeouts, do_not_touch_tasks_that_were_spawned) {
  run_here([]() -> task<void> {
    int done = 0;
    co_await finish([&]() -> task<void> {
      EXPECT_TRUE(co_await times_out(
          [](int& d) -> task<void> {
            spawn([&d]() -> task<void> {
              co_await sleep_for(5ms);
              ++d;
            });
            co_await sleep_for(10s);
          }(done),
          1ms));
    });
    EXPECT_EQ(done, 1);
  });
}

class stop_tokens : public on_layouts {};

template <class X>
task<bool> is_stopped(X&& x, std::stop_token token) {
  try {
    static_cast<void>(co_await with_stop(std::forward<X>(x), token));
    co_return false;
  } catch (stopped const&) {
    co_return true;
  }
}

TEST_P(stop_tokens, end_waits_when_a_task_or_a_thread_asks) {
  run_here([]() -> task<void> {
    for (int i = 0; i < 20; ++i) {
      std::stop_source by_task, by_thread, never;
      int ends = 0;
      std::thread asks([source = by_thread, i]() mutable {
        std::this_thread::sleep_for(std::chrono::microseconds(i * 20));
        source.request_stop();
      });
      co_await finish([&] {
        spawn([&]() -> task<void> { EXPECT_TRUE(co_await is_stopped(wait_for_ever(1, ends), by_task.get_token())); });
        spawn([&]() -> task<void> { EXPECT_TRUE(co_await is_stopped(sleep_for(20s), by_thread.get_token())); });
        spawn([&]() -> task<void> { EXPECT_FALSE(co_await is_stopped(sleep_for(2ms), never.get_token())); });
        spawn([&]() -> task<void> {
          co_await sleep_for(std::chrono::microseconds(i * 10));
          by_task.request_stop();
        });
      });
      asks.join();
      EXPECT_TRUE(ends == 2 || ends == 0) << "one that has not started does not start: " << ends;
      EXPECT_TRUE(co_await is_stopped(sleep_for(20s), by_task.get_token())) << "asked before";
    }
  });
}

TEST_P(stop_tokens, asked_while_the_result_arrives_give_one_or_the_other) {
  run_here([]() -> task<void> {
    auto const p = static_cast<place_id>(places() - 1);
    int stops = 0, results = 0;
    for (int i = 0; i < 200; ++i) {
      std::stop_source source;
      std::thread asks([&] { source.request_stop(); });
      try {
        EXPECT_EQ(co_await with_stop(at(p, [](int v) { return v; }, i), source.get_token()), i);
        ++results;
      } catch (stopped const&) {
        ++stops;
      }
      asks.join();
    }
    EXPECT_EQ(stops + results, 200);
  });
}

TEST_P(timeouts, sleepers_wake_in_order_and_in_time) {
  run_here([]() -> task<void> {
    // All threads sleep meanwhile; a worker that slept its full second would be late.
    auto const begin = steady::now();
    std::vector<int> woken;
    co_await finish([&] {
      for (int i : {3, 1, 4, 0, 2})
        spawn(
            [&](int k) -> task<void> {
              co_await sleep_for(std::chrono::milliseconds(20 + 20 * k));
              EXPECT_GE(steady::now() - begin, std::chrono::milliseconds(20 + 20 * k));
              place_atomic([&] { woken.push_back(k); });
            },
            i);
    });
    EXPECT_LT(steady::now() - begin, 700ms);
    if (detail::job.workers == 1) EXPECT_TRUE(std::ranges::is_sorted(woken));
    EXPECT_EQ(woken.size(), 5U);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, timeouts, testing::ValuesIn(all_layouts()), name_of);
INSTANTIATE_TEST_SUITE_P(layouts, stop_tokens, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
