// event_counter_test: event counters fire at zero, once; notify counters, flags and queues anywhere; and reload.
// Method: single steps at one place, notifications between all; barriers whose tasks count episodes of each other.
#include <numeric>
#include <vector>

#include "runtime/run_job.hpp"
#include "runtime/waiters.hpp"

namespace tess::test {
namespace {

class event_counters : public on_layouts {};

TEST_P(event_counters, fire_at_zero_and_start_again) {
  run_here([]() -> task<void> {
    event_counter once(2);
    once.add(-1);
    EXPECT_EQ(once.phase(), 0U);
    once.add(-1);
    EXPECT_EQ(once.phase(), 1U);
    co_await once;
    once.add(3);
    EXPECT_EQ(once.value(), 3);
    once.add(-3);
    EXPECT_EQ(once.phase(), 2U);
    event_counter again(3, 3);
    int gone = 0;
    co_await finish([&]() -> task<void> {
      for (std::uint64_t phase = 0; phase < 4; ++phase) {
        spawn([](event_counter& c, std::uint64_t p, int& out) -> task<void> {
          co_await c.wait(p);
          place_atomic([&] { ++out; });
        }(again, phase, gone));
        again.add(-2);
        co_await until_waiting(again, 1);
        EXPECT_EQ(again.phase(), phase);
        EXPECT_EQ(place_atomic([&] { return gone; }), static_cast<int>(phase));
        again.add(-1);
        EXPECT_EQ(again.phase(), phase + 1);
        EXPECT_EQ(again.value(), 3);
        while (place_atomic([&] { return gone; }) <= static_cast<int>(phase)) co_await yield();
      }
    });
    EXPECT_THROW(for (int i = 0; i < 5; ++i) again.notify(once.address()), error);
  });
}

struct targets {
  counter plain;
  event_counter chained{2, 2};
  std::uint64_t flag = 0;
  queue<std::uint32_t, 2> items;
};

TEST_P(event_counters, notify_each_sort_at_any_place) {
  run_here([]() -> task<void> {
    auto const all = co_await place_local<targets>::make();
    for (unsigned p = 0; p < places(); ++p) {
      auto const there = static_cast<place_id>(p);
      auto const base = all.of(there).bits();
      event_counter c(2, 1);
      c.notify(global_ptr<counter>::from_bits(base + offsetof(targets, plain)));
      c.notify(global_ptr<event_counter>::from_bits(base + offsetof(targets, chained)), -2);
      auto const flag = global_ptr<std::uint64_t>::from_bits(base + offsetof(targets, flag));
      c.notify(flag, 77);
      auto const items = global_ptr<queue<std::uint32_t, 2>>::from_bits(base + offsetof(targets, items));
      c.notify(items, 5);
      co_await at(there, [](place_local<targets> t) { t->plain.expect(4); }, all);
      // Once by hand, then from everywhere; the queue of two is full before the last comes.
      c.add(-2);
      for (int i = 0; i < 3; ++i) co_await add(c.address(), -1);
      EXPECT_EQ(c.phase(), 4U);
      co_await at(
          there,
          [](place_local<targets> t, global_ptr<std::uint64_t> f) -> task<void> {
            co_await t->plain;
            co_await t->chained.wait(3);
            while (co_await get(f) != 77) co_await yield();
            for (int i = 0; i < 4; ++i) EXPECT_EQ(co_await t->items.pop(), 5U);
          },
          all, flag);
    }
    co_await place_local<targets>::release(all);
  });
}

TEST_P(event_counters, are_added_to_and_awaited_from_everywhere) {
  run_here([]() -> task<void> {
    auto const c = co_await place_local<event_counter>::make(std::int64_t{0}, std::int64_t{0});
    std::int64_t const all = std::int64_t{places()} * 50;
    c->set(all, all);
    co_await on_all_places(
        [](place_local<event_counter> x) {
          for (int i = 0; i < 50; ++i)
            spawn([](global_ptr<event_counter> g, bool acknowledged) -> task<void> {
              if (acknowledged)
                co_await add(g, -1);
              else
                notify(g);
              co_await wait(g, 0);
            }(x.of(0), i % 2 == 0));
        },
        c);
    EXPECT_EQ(c->phase(), 1U);
    EXPECT_EQ(c->value(), all);
    co_await finish([&] { notify(c.of(0), 5); });
    EXPECT_EQ(c->value(), all + 5) << "the finish waited for the notification";
    co_await place_local<event_counter>::release(c);
  });
}

/// Every task checks that no other is more than one episode away.
task<void> cross(tree_barrier b, place_local<std::atomic<std::uint64_t>> episodes, std::span<place_id const> members,
                 std::uint32_t each, std::uint64_t rounds) {
  co_await finish([&] {
    for (place_id const p : members)
      at_async(
          p,
          [](tree_barrier x, place_local<std::atomic<std::uint64_t>> e, std::uint32_t tasks, std::uint64_t n) {
            for (std::uint32_t t = 0; t < tasks; ++t)
              spawn([](tree_barrier y, place_local<std::atomic<std::uint64_t>> mine, std::uint32_t all,
                       std::uint64_t count, bool split) -> task<void> {
                for (std::uint64_t i = 1; i <= count; ++i) {
                  ++*mine;
                  if (split) {
                    std::uint64_t const arrival = y.arrive();
                    co_await yield();
                    co_await y.wait(arrival);
                  } else {
                    co_await y.arrive_and_wait();
                  }
                  std::uint64_t const seen = mine->load();
                  EXPECT_GE(seen, i * all);
                  EXPECT_LE(seen, (i + 1) * all);
                }
              }(x, e, tasks, n, t % 2 == 1));
          },
          b, episodes, each, rounds);
  });
}

TEST_P(event_counters, as_tree_barriers_let_nobody_go_early) {
  run_here([]() -> task<void> {
    auto const episodes = co_await place_local<std::atomic<std::uint64_t>>::make();
    std::vector<place_id> members;
    // All, and every other place backwards.
    for (int p = places() - 1; p >= 0; p -= 2) members.push_back(static_cast<place_id>(p));
    std::vector<place_id> everybody(places());
    std::iota(everybody.begin(), everybody.end(), place_id{0});
    for (std::uint32_t const each : {1U, 3U})
      for (auto const& who : {everybody, members}) {
        co_await on_all_places([](place_local<std::atomic<std::uint64_t>> e) { e->store(0); }, episodes);
        tree_barrier const b = co_await tree_barrier::make(who, each);
        co_await cross(b, episodes, who, each, 40);
        if (who.size() < places()) {
          auto const stranger = static_cast<place_id>(places() - 2);
          bool refused = false;
          try {
            co_await at(stranger, [](tree_barrier x) { static_cast<void>(x.arrive()); }, b);
          } catch (error const&) {
            refused = true;
          }
          EXPECT_TRUE(refused);
        }
        co_await tree_barrier::release(b);
      }
    std::vector<place_id> const twice{0, 0}, unknown{places()}, none;
    for (auto const& wrong : {twice, unknown, none}) {
      bool refused = false;
      try {
        static_cast<void>(co_await tree_barrier::make(wrong));
      } catch (error const&) {
        refused = true;
      }
      EXPECT_TRUE(refused);
    }
    co_await place_local<std::atomic<std::uint64_t>>::release(episodes);
  });
}

TEST(tree_barrier, of_two_levels_and_more_holds_all_back) {
  for (layout const l : {layout{"smp", 22, 1}, layout{"hostile", 22, 1}, layout{"smp", 7, 2, 3}})
    run_job(l, []() -> task<void> {
      auto const episodes = co_await place_local<std::atomic<std::uint64_t>>::make();
      // One counter at place 0 counts for all: a task that goes on has seen all others arrive.
      tree_barrier const b = co_await tree_barrier::make();
      co_await on_all_places(
          [](tree_barrier x, place_local<std::atomic<std::uint64_t>> e) -> task<void> {
            auto const total = e.of(0).as<std::uint64_t>();
            for (std::uint64_t i = 1; i <= 20; ++i) {
              co_await fetch_add(total, 1);
              co_await x.arrive_and_wait();
              EXPECT_GE(co_await get(total), i * places());
            }
          },
          b, episodes);
      co_await tree_barrier::release(b);
      co_await place_local<std::atomic<std::uint64_t>>::release(episodes);
    });
}

/// Notifications are no part of a finish: the job may end while they are on their way.
TEST_P(event_counters, may_have_messages_under_way_when_the_job_ends) {
  for (int round = 0; round < 20; ++round)
    run_here([]() -> task<void> {
      auto const all = co_await place_local<targets>::make();
      co_await on_all_places(
          [](place_local<targets> t) {
            for (unsigned p = 0; p < places(); ++p)
              for (int i = 0; i < 5; ++i) {
                event_counter c(1);
                auto const base = t.of(static_cast<place_id>(p)).bits();
                c.notify(global_ptr<event_counter>::from_bits(base + offsetof(targets, chained)));
                c.notify(global_ptr<std::uint64_t>::from_bits(base + offsetof(targets, flag)), 1);
                c.notify(global_ptr<queue<std::uint32_t, 2>>::from_bits(base + offsetof(targets, items)), 1);
                c.add(-1);
              }
          },
          all);
      // Not released: what arrives late arrives in memory of the job.
    });
}

INSTANTIATE_TEST_SUITE_P(layouts, event_counters, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
