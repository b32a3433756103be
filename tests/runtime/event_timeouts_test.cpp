// event_timeouts: awaits of events and futures are given up, too. Method: each kind of event in which a task parks, on
// every layout; then the event is used as if the task had never waited: nobody is forgotten, nothing is lost or twice.
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

class event_timeouts : public on_layouts {};

template <class X>
task<bool> given_up(X&& x) {
  try {
    static_cast<void>(co_await with_timeout(std::forward<X>(x), 2ms));
    co_return false;
  } catch (timed_out const&) {
    co_return true;
  }
}

TEST_P(event_timeouts, leave_a_sync_var_to_others) {
  run_here([]() -> task<void> {
    sync_var<int> v;
    EXPECT_TRUE(co_await given_up(v.read_ff()));
    EXPECT_TRUE(co_await given_up(v.read_fe()));
    co_await v.write_ef(1);
    EXPECT_TRUE(co_await given_up(v.write_ef(2)));
    EXPECT_EQ(co_await with_timeout(v.read_fe(), 20s), 1);
    EXPECT_TRUE(co_await given_up(v.read_ff()));
  });
}

TEST_P(event_timeouts, lose_no_item_of_a_queue) {
  run_here([]() -> task<void> {
    auto& items = *new queue<int, 2>;
    EXPECT_TRUE(co_await given_up(items.pop()));
    co_await items.push(1);
    co_await items.push(2);
    EXPECT_TRUE(co_await given_up(items.push(3)));
    EXPECT_EQ(co_await with_timeout(items.pop(), 20s), 1);
    EXPECT_EQ(co_await items.pop(), 2);
    EXPECT_FALSE(items.try_pop());
    delete &items;
  });
}

TEST_P(event_timeouts, do_not_lock_a_mutex) {
  run_here([]() -> task<void> {
    mutex m;
    co_await m.lock();
    EXPECT_TRUE(co_await given_up(m.lock()));
    EXPECT_TRUE(co_await given_up(m.guard()));
    m.unlock();
    EXPECT_TRUE(m.try_lock());
    m.unlock();
  });
}

// A waiter at the head of the line holds up those that could proceed.
TEST_P(event_timeouts, let_those_behind_proceed) {
  run_here([]() -> task<void> {
    sync_var<int> v;
    co_await v.write_ef(7);
    int read = 0;
    co_await finish([&]() -> task<void> {
      spawn([&]() -> task<void> { EXPECT_TRUE(co_await given_up(v.write_ef(8))); });
      co_await sleep_for(1ms);
      spawn([&]() -> task<void> { read = co_await v.read_ff(); });
      co_return;
    });
    EXPECT_EQ(read, 7);
    EXPECT_EQ(co_await v.read_fe(), 7);
  });
}

TEST_P(event_timeouts, take_the_right_one_out_of_the_line) {
  run_here([]() -> task<void> {
    for (int leaves = 0; leaves < 4; ++leaves) {
      auto& items = *new queue<int, 8>;
      std::vector<int> got(4, -1);
      std::stop_source stop;
      co_await finish([&]() -> task<void> {
        for (int i = 0; i < 4; ++i)
          spawn(
              [&](int i, int leaving) -> task<void> {
                try {
                  auto const token = i == leaving ? stop.get_token() : std::stop_token();
                  got[static_cast<std::size_t>(i)] = co_await with_stop(items.pop(), token);
                } catch (stopped const&) {
                  got[static_cast<std::size_t>(i)] = -2;
                }
              },
              i, leaves);
        co_await sleep_for(2ms);
        stop.request_stop();
        co_await sleep_for(2ms);
        for (int k = 0; k < 3; ++k) co_await items.push(k);
      });
      EXPECT_EQ(got[static_cast<std::size_t>(leaves)], -2);
      std::ranges::sort(got);
      EXPECT_EQ(got, (std::vector{-2, 0, 1, 2}));
      delete &items;
    }
  });
}

TEST_P(event_timeouts, of_counters_and_semaphores) {
  run_here([]() -> task<void> {
    event_counter c(1);
    EXPECT_TRUE(co_await given_up(c));
    c.add(-1);
    semaphore s(0);
    EXPECT_TRUE(co_await given_up(s.acquire()));
    s.release();
    co_await with_timeout(s.acquire(), 20s);
    EXPECT_FALSE(s.try_acquire());
  });
}

TEST_P(event_timeouts, reach_tasks_that_wait_inside) {
  run_here([]() -> task<void> {
    sync_var<int> v;
    auto const inner = [&]() -> task<int> { co_return co_await v.read_ff(); };
    EXPECT_TRUE(co_await given_up([&]() -> task<int> { co_return 1 + co_await inner(); }()));
    std::optional<future<int>> slow = async(inner());
    EXPECT_TRUE(co_await given_up([](future<int> f) -> task<int> { co_return co_await f; }(*slow)));
    EXPECT_TRUE(co_await given_up(when_any(*slow)));
    co_await v.write_ef(5);
    EXPECT_EQ(co_await *slow, 5);
  });
}

TEST_P(event_timeouts, of_a_future_leave_its_task) {
  run_here([]() -> task<void> {
    for (int i = 0; i < 20; ++i) {
      sync_var<int> v;
      auto const kept = std::make_shared<int>(i);
      auto const wait = [](sync_var<int>& from, std::shared_ptr<int> k) -> task<int> {
        co_return *k + co_await from.read_ff();
      };
      co_await finish([&]() -> task<void> {
        future<int> const f = async(wait(v, kept));
        EXPECT_TRUE(co_await given_up(f));
        EXPECT_TRUE(co_await given_up(f));
        EXPECT_TRUE(co_await given_up(future<int>(f)));
        // Nobody asks for the result of this one any more.
        EXPECT_TRUE(co_await given_up(async(wait(v, kept))));
        co_await v.write_ef(100);
        EXPECT_EQ(co_await with_timeout(f, 20s), 100 + i);
        EXPECT_EQ(co_await with_timeout(async(wait(v, kept)), 20s), 100 + i);
      });
      EXPECT_EQ(kept.use_count(), 1);
    }
  });
}

// The end of the future's task, the time-out and other readers come in every order.
TEST_P(event_timeouts, of_futures_at_any_moment) {
  run_here([]() -> task<void> {
    int results = 0;
    int late = 0;
    for (int i = 0; i < 300; ++i) {
      auto const work = [](int k) -> task<int> {
        for (int n = 0; n < k; ++n) co_await yield();
        if (k % 3 == 0) co_await sleep_for(std::chrono::microseconds(50));
        co_return k;
      };
      future<int> const f = async(work(i % 7));
      auto const reader = [](future<int> of) -> task<int> { co_return co_await of; };
      future<int> const other = async(reader(f));
      try {
        EXPECT_EQ(co_await with_timeout(f, std::chrono::microseconds(i % 5 * 20)), i % 7);
        ++results;
      } catch (timed_out const&) {
        ++late;
      }
      EXPECT_EQ(co_await other, i % 7);
      EXPECT_EQ(co_await f, i % 7);
    }
    EXPECT_EQ(results + late, 300);
  });
}

TEST_P(event_timeouts, and_wake_ups_at_once_end_each_wait_once) {
  run_here([]() -> task<void> {
    auto& items = *new queue<int, 4>;
    int popped = 0;
    int late = 0;
    for (int i = 0; i < 300; ++i) {
      co_await finish([&, i]() -> task<void> {
        spawn(
            [&](int k) -> task<void> {
              for (int n = 0; n < k % 5; ++n) co_await yield();
              EXPECT_TRUE(items.try_push(k));
            },
            i);
        try {
          EXPECT_EQ(co_await with_timeout(items.pop(), std::chrono::microseconds(i % 4)), i);
          ++popped;
        } catch (timed_out const&) {
          ++late;
        }
      });
      if (auto const rest = items.try_pop()) {
        EXPECT_EQ(*rest, i);
        --late;
        ++popped;
      }
    }
    EXPECT_EQ(late, 0);
    EXPECT_EQ(popped, 300);
    delete &items;
  });
}

TEST_P(event_timeouts, threads_ask_for_them) {
  run_here([]() -> task<void> {
    sync_var<int> v;
    for (int i = 0; i < 50; ++i) {
      std::stop_source source;
      std::thread asks([&] { source.request_stop(); });
      bool stops = false;
      try {
        co_await with_stop(v.read_ff(), source.get_token());
      } catch (stopped const&) {
        stops = true;
      }
      EXPECT_TRUE(stops);
      asks.join();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, event_timeouts, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
