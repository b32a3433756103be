// queues_test: queues refuse, keep order and exclude as documented, and lose no waiter.
// Method: orders stepped by hand at one place; then all places and workers at once, on queues that stay full.
#include <algorithm>
#include <vector>

#include "runtime/run_job.hpp"
#include "runtime/waiters.hpp"

namespace tess::test {
namespace {

class queues : public on_layouts {};
class mutexes : public on_layouts {};

place_id last_place() {
  return static_cast<place_id>(places() - 1);
}

TEST_P(queues, refuse_when_full_and_keep_their_order) {
  run_here([]() -> task<void> {
    queue<int, 4> q;
    EXPECT_EQ(q.try_pop(), std::nullopt);
    // More than once around, so that the slots wrap.
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 4; ++i) EXPECT_TRUE(q.try_push(i));
      EXPECT_FALSE(q.try_push(4));
      EXPECT_EQ(co_await q.pop(), 0);
      co_await q.push(4);
      for (int i = 1; i < 5; ++i) EXPECT_EQ(q.try_pop(), i);
      EXPECT_EQ(q.try_pop(), std::nullopt);
    }
    static_assert(sizeof(queue<std::array<int, 3>, 2>) >= 16 + 2 * 16, "three words take the room of four");
  });
}

TEST_P(queues, let_writers_wait_in_line_and_readers_too) {
  run_here([]() -> task<void> {
    queue<int, 1> q;
    std::string seen;
    EXPECT_TRUE(q.try_push(0));
    co_await finish([&]() -> task<void> {
      for (int i = 1; i < 4; ++i) {
        spawn([](queue<int, 1>& to, int item, std::string& out) -> task<void> {
          co_await to.push(item);
          place_atomic([&] { out += 'w' + std::to_string(item); });
        }(q, i, seen));
        co_await until_waiting(q, static_cast<unsigned>(i));
      }
      EXPECT_EQ(seen, "");
      for (int i = 0; i < 4; ++i) EXPECT_EQ(q.try_pop(), i);
      EXPECT_EQ(q.try_pop(), std::nullopt);
    });
    // With several workers the writers of one line may say so in any order.
    if (workers() == 1) EXPECT_EQ(seen, "w1w2w3");
    int sum = 0;
    co_await finish([&]() -> task<void> {
      for (int i = 0; i < 3; ++i)
        spawn([](queue<int, 1>& from, int& out) -> task<void> {
          int const item = co_await from.pop();
          place_atomic([&] { out += item; });
        }(q, sum));
      co_await until_waiting(q, 3);
      for (int i = 1; i < 4; ++i) co_await q.push(i);
    });
    EXPECT_EQ(sum, 6);
    EXPECT_EQ(q.try_pop(), std::nullopt);
  });
}

struct mail {
  std::uint64_t writer, number;
  std::uint64_t filling[6];
};

/// Writers everywhere, one slow reader: the queue stays full. Each writer awaits, so its own items keep their order.
TEST_P(queues, that_stay_full_lose_and_double_nothing) {
  run_here([]() -> task<void> {
    constexpr std::uint64_t each = 200, writers = 3;
    auto const q = co_await place_local<queue<mail, 2>>::make();
    std::vector<std::uint64_t> next(std::size_t{places()} * writers, 0);
    co_await finish([&]() -> task<void> {
      for (unsigned p = 0; p < places(); ++p)
        for (std::uint64_t w = 0; w < writers; ++w)
          at_async(
              static_cast<place_id>(p),
              [](place_local<queue<mail, 2>> to, std::uint64_t me) -> task<void> {
                for (std::uint64_t i = 0; i < each; ++i) {
                  mail const m{me, i, {i, i, i, i, i, i}};
                  if (i % 2 == 0)
                    co_await push(to.of(0), m);
                  else
                    while (!co_await try_push(to.of(0), m)) co_await yield();
                }
              },
              q, p* writers + w);
      for (std::uint64_t i = 0; i < next.size() * each; ++i) {
        // Slower than the writers.
        for (int k = 0; k < 5; ++k) co_await yield();
        mail const m = co_await q->pop();
        EXPECT_EQ(next[m.writer]++, m.number);
        EXPECT_EQ(m.filling[5], m.number);
      }
      EXPECT_EQ(q->try_pop().has_value(), false);
    });
    EXPECT_TRUE(std::ranges::all_of(next, [](std::uint64_t n) { return n == each; }));
    co_await place_local<queue<mail, 2>>::release(q);
  });
}

TEST_P(queues, match_pops_that_came_first_in_their_order) {
  run_here([]() -> task<void> {
    auto const q = co_await place_local<match_queue<int, 2>>::make();
    auto const there = q.of(last_place());
    {
      // The pops wait at the queue's place before there is anything.
      auto const waiting = [](place_local<match_queue<int, 2>> m, unsigned n) { return until_waiting(*m, n); };
      auto a = pop(there);
      co_await at(last_place(), waiting, q, 1U);
      auto b = pop(there);
      co_await at(last_place(), waiting, q, 2U);
      EXPECT_EQ(co_await try_pop(there), std::nullopt);
      co_await push(there, 1);
      co_await push(there, 2);
      EXPECT_EQ(co_await a, 1);
      EXPECT_EQ(co_await b, 2);
    }
    EXPECT_TRUE(co_await try_push(there, 3));
    EXPECT_TRUE(co_await try_push(there, 4));
    EXPECT_FALSE(co_await try_push(there, 5));
    auto late = push(there, 5);
    co_await at(last_place(), [](place_local<match_queue<int, 2>> m) { return until_waiting(*m, 1); }, q);
    for (int i = 3; i < 6; ++i) EXPECT_EQ(co_await pop(there), i);
    co_await late;
    EXPECT_EQ(co_await try_pop(there), std::nullopt);
    co_await place_local<match_queue<int, 2>>::release(q);
  });
}

TEST_P(queues, match_readers_and_writers_of_all_places) {
  run_here([]() -> task<void> {
    constexpr std::uint64_t each = 200;
    auto const q = co_await place_local<match_queue<std::uint64_t, 4>>::make();
    auto const got = co_await place_local<std::atomic<std::uint64_t>>::make();
    co_await on_all_places(
        [](place_local<match_queue<std::uint64_t, 4>> m, place_local<std::atomic<std::uint64_t>> sum) {
          for (int t = 0; t < 3; ++t) {
            spawn([](place_local<match_queue<std::uint64_t, 4>> to) -> task<void> {
              for (std::uint64_t i = 1; i <= each; ++i) co_await push(to.of(last_place()), i);
            }(m));
            spawn([](place_local<match_queue<std::uint64_t, 4>> from, std::atomic<std::uint64_t>& out) -> task<void> {
              for (std::uint64_t i = 1; i <= each; ++i) out += co_await pop(from.of(last_place()));
            }(m, *sum));
          }
        },
        q, got);
    std::uint64_t all = 0;
    for (unsigned p = 0; p < places(); ++p)
      all += co_await at(
          static_cast<place_id>(p), [](place_local<std::atomic<std::uint64_t>> t) { return t->load(); }, got);
    EXPECT_EQ(all, std::uint64_t{3} * places() * each * (each + 1) / 2);
    co_await place_local<match_queue<std::uint64_t, 4>>::release(q);
    co_await place_local<std::atomic<std::uint64_t>>::release(got);
  });
}

TEST_P(mutexes, are_free_held_and_handed_over_in_order) {
  run_here([]() -> task<void> {
    mutex m;
    EXPECT_THROW(m.unlock(), error);
    EXPECT_TRUE(m.try_lock());
    EXPECT_FALSE(m.try_lock());
    m.unlock();
    {
      auto held = co_await m.guard();
      EXPECT_FALSE(m.try_lock());
      auto const moved = std::move(held);
      EXPECT_FALSE(m.try_lock());
    }
    std::vector<int> order;
    co_await finish([&]() -> task<void> {
      co_await m.lock();
      for (int i = 0; i < 5; ++i) {
        spawn([](mutex& x, std::vector<int>& out, int me) -> task<void> {
          auto const held = co_await x.guard();
          out.push_back(me);
          co_await yield();
        }(m, order, i));
        co_await until_waiting(m, static_cast<unsigned>(i) + 1);
      }
      m.unlock();
      // With several workers it may have been through all hands by now.
      if (workers() == 1) EXPECT_FALSE(m.try_lock()) << "it was handed over";
    });
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_TRUE(m.try_lock());
  });
}

/// A task that never has to wait lets messages be handled.
TEST_P(mutexes, that_are_free_keep_nobody_from_his_turn) {
  run_here([]() -> task<void> {
    auto const stop = co_await place_local<sync_var<bool>>::make();
    auto done =
        at(last_place(), [](global_ptr<sync_var<bool>> s) -> task<void> { co_await write_ef(s, true); }, stop.of(0));
    mutex m;
    while (!stop->try_read_ff()) auto const held = co_await m.guard();
    co_await done;
    co_await place_local<sync_var<bool>>::release(stop);
  });
}

TEST_P(mutexes, of_another_place_are_locked_and_unlocked) {
  run_here([]() -> task<void> {
    auto const m = co_await place_local<mutex>::make();
    auto const there = m.of(last_place());
    EXPECT_THROW(co_await unlock(there), error);
    EXPECT_TRUE(co_await try_lock(there));
    EXPECT_FALSE(co_await try_lock(there));
    co_await unlock(there);
    for (int i = 0; i < 20; ++i) {
      auto const held = co_await guard(there);
      EXPECT_FALSE(co_await try_lock(there));
    }
    co_await finish([&]() -> task<void> { auto const held = co_await guard(there); });
    // The finish waited for the unlock.
    EXPECT_TRUE(co_await at(there.place(), [](place_local<mutex> x) { return x->try_lock(); }, m));
    co_await place_local<mutex>::release(m);
  });
}

/// A plain number, changed across a suspension: only exclusion keeps it right, and ThreadSanitizer sees the order.
TEST_P(mutexes, exclude_all_others_everywhere) {
  run_here([]() -> task<void> {
    struct shared {
      mutex m;
      std::uint64_t n = 0;
    };
    constexpr std::uint64_t each = 60;
    auto const s = co_await place_local<shared>::make();
    co_await on_all_places(
        [](place_local<shared> x) {
          for (int t = 0; t < 4; ++t)
            spawn([](place_local<shared> y) -> task<void> {
              auto const number = global_ptr<std::uint64_t>::from_bits(y.of(0).bits() + offsetof(shared, n));
              for (std::uint64_t i = 0; i < each; ++i) {
                auto const held = co_await guard(y.of(0).as<mutex>());
                std::uint64_t const before = co_await get(number);
                co_await yield();
                co_await put(number, before + 1);
              }
            }(x));
          if (here() == 0)
            for (int t = 0; t < 4; ++t)
              spawn([](shared& y) -> task<void> {
                for (std::uint64_t i = 0; i < each; ++i) {
                  auto const held = co_await y.m.guard();
                  std::uint64_t const before = std::exchange(y.n, ~std::uint64_t{0});
                  co_await yield();
                  y.n = before + 1;
                }
              }(*x));
        },
        s);
    EXPECT_EQ(s->n, each * 4 * (std::uint64_t{places()} + 1));
    co_await place_local<shared>::release(s);
  });
}

TEST_P(mutexes, as_semaphores_let_so_many_in_and_no_more) {
  run_here([]() -> task<void> {
    constexpr std::uint32_t permits = 3;
    semaphore s(permits);
    std::atomic<std::uint32_t> inside{0}, most{0}, entries{0};
    auto const name = s.address();
    co_await finish([&] {
      for (int t = 0; t < 20; ++t)
        spawn([](global_ptr<semaphore> g, bool direct, auto& in, auto& max, auto& all) -> task<void> {
          for (int i = 0; i < 20; ++i) {
            if (direct)
              co_await g.local()->acquire();
            else
              co_await acquire(g);
            std::uint32_t const now = ++in;
            for (std::uint32_t m = max.load(); m < now && !max.compare_exchange_weak(m, now);) {
            }
            ++all;
            for (int k = 0; k < 5; ++k) co_await yield();
            --in;
            if (direct)
              g.local()->release();
            else
              co_await release(g);
          }
        }(name, t % 2 == 0, inside, most, entries));
    });
    EXPECT_EQ(entries.load(), 400U);
    EXPECT_LE(most.load(), permits);
    if (workers() == 1) EXPECT_EQ(most.load(), permits);
    EXPECT_TRUE(s.try_acquire());
    EXPECT_TRUE(s.try_acquire());
    EXPECT_TRUE(co_await try_acquire(name));
    EXPECT_FALSE(co_await try_acquire(name));
    // Permits given at once let several go.
    std::atomic<int> gone{0};
    co_await finish([&]() -> task<void> {
      for (int i = 0; i < 4; ++i)
        spawn([](semaphore& x, std::atomic<int>& out) -> task<void> {
          co_await x.acquire();
          ++out;
        }(s, gone));
      co_await until_waiting(s, 4);
      EXPECT_EQ(gone.load(), 0);
      s.release(2);
      EXPECT_EQ(waiters_of(s), 2U);
      while (gone.load() < 2) co_await yield();
      EXPECT_EQ(gone.load(), 2);
      co_await at(last_place(), [](global_ptr<semaphore> g) -> task<void> { co_await release(g, 2); }, name);
    });
    EXPECT_FALSE(s.try_acquire());
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, queues, testing::ValuesIn(all_layouts()), name_of);
INSTANTIATE_TEST_SUITE_P(layouts, mutexes, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
