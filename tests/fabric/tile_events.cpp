// tile_events: mutexes and queues that other tiles use, on machines with and without network interfaces.
// Method: counts and sums that one lost or doubled operation would change; and a place that does not yield until the
// others have finished with its events, which must work with interfaces. Run by tess-machine.
#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "tess/detail/events/event_lines.hpp"
#include "tess/tess.hpp"

namespace {

using tess::global_ptr;
using tess::place_id;
using tess::task;

std::atomic<unsigned> failed{0};

void expect(bool holds, char const* what) {
  if (holds) return;
  std::printf("place %u: %s\n", unsigned{tess::here()}, what);
  ++failed;
}

constexpr unsigned tasks_each = 9;
constexpr unsigned rounds = 12;

/// The events that other places use, at place 0.
struct shared {
  tess::mutex lock;
  std::uint64_t counted = 0;
  tess::match_queue<std::uint64_t, 4> few;
  tess::queue<std::uint32_t, 16> inbox;
  std::uint64_t finished = 0;
  std::uint64_t ready = 0;
};

template <class T>
global_ptr<T> part(global_ptr<shared> of, T shared::* member) {
  static shared const example{};
  auto const offset =
      reinterpret_cast<std::byte const*>(&(example.*member)) - reinterpret_cast<std::byte const*>(&example);
  return global_ptr<T>(of.place(), of.offset() + static_cast<std::uint64_t>(offset));
}

task<> count_under_the_lock(global_ptr<shared> s) {
  auto const counted = part(s, &shared::counted);
  for (unsigned i = 0; i < rounds; ++i) {
    auto const held = co_await tess::guard(part(s, &shared::lock));
    std::uint64_t const before = co_await tess::get(counted);
    if (i % 3 == 0) co_await tess::yield();
    co_await tess::put(counted, before + 1);
  }
}

task<> locks_exclude(global_ptr<shared> s, shared& own) {
  co_await tess::finish([&] {
    for (place_id p = 0; p < tess::places(); ++p)
      for (unsigned t = 0; t < tasks_each; ++t)
        tess::at_async(p, [](global_ptr<shared> to) { return count_under_the_lock(to); }, s);
  });
  expect(own.counted == std::uint64_t{tess::places()} * tasks_each * rounds, "the lock let two in");
  // By its own place, after others have used the mutex.
  co_await own.lock.lock();
  expect(!own.lock.try_lock(), "locked twice");
  expect(!co_await tess::try_lock(part(s, &shared::lock)), "locked twice, by its name");
  own.lock.unlock();
  expect(own.lock.try_lock(), "free, but not to be had");
  co_await tess::unlock(part(s, &shared::lock));
  bool refused = false;
  try {
    own.lock.unlock();
  } catch (tess::error const&) {
    refused = true;
  }
  expect(refused, "unlocked while it was free");
  refused = co_await tess::at(
      static_cast<place_id>(1),
      [](global_ptr<tess::mutex> m) -> task<bool> {
        try {
          co_await tess::unlock(m);
        } catch (tess::error const&) {
          co_return true;
        }
        co_return false;
      },
      part(s, &shared::lock));
  expect(refused, "unlocked from elsewhere while it was free");
}

/// Each place pushes its numbers and pops as many; more wait than there is room for.
task<> items_are_matched(global_ptr<shared> s) {
  auto const queue = part(s, &shared::few);
  auto const sums = tess::allocate<std::uint64_t>(tess::places());
  co_await tess::finish([&] {
    for (place_id p = 0; p < tess::places(); ++p) {
      for (unsigned t = 0; t < tasks_each; ++t) {
        tess::at_async(
            p,
            [](global_ptr<tess::match_queue<std::uint64_t, 4>> q, unsigned first) -> task<> {
              for (unsigned i = 0; i < rounds; ++i) co_await tess::push(q, std::uint64_t{first} + i);
            },
            queue, p * 1000 + t * 100);
        tess::at_async(
            p,
            [](global_ptr<tess::match_queue<std::uint64_t, 4>> q, global_ptr<std::uint64_t> sum) -> task<> {
              std::uint64_t mine = 0;
              for (unsigned i = 0; i < rounds; ++i) mine += co_await tess::pop(q);
              co_await tess::fetch_add(sum, mine);
            },
            queue, sums + p);
      }
    }
  });
  std::uint64_t found = 0, pushed = 0;
  for (place_id p = 0; p < tess::places(); ++p) {
    found += co_await tess::get(sums + p);
    for (unsigned t = 0; t < tasks_each; ++t)
      for (unsigned i = 0; i < rounds; ++i) pushed += p * 1000 + t * 100 + i;
  }
  expect(found == pushed, "items were lost, or came twice");
  tess::deallocate(sums);
  co_await tess::at(
      static_cast<place_id>(1),
      [](global_ptr<tess::match_queue<std::uint64_t, 4>> q) -> task<> {
        expect(!co_await tess::try_pop(q), "an item out of nothing");
        for (std::uint64_t i = 0; i < 4; ++i) expect(co_await tess::try_push(q, i + 70), "no room for four");
        expect(!co_await tess::try_push(q, 99U), "room for a fifth");
        for (std::uint64_t i = 0; i < 4; ++i) {
          auto const item = co_await tess::try_pop(q);
          expect(item && *item == i + 70, "another item, or another order");
        }
      },
      queue);
}

task<> items_come_in(global_ptr<shared> s, shared& own) {
  std::uint64_t sum = 0, expected = 0;
  co_await tess::finish([&] {
    for (place_id p = 0; p < tess::places(); ++p) {
      tess::at_async(
          p,
          [](global_ptr<tess::queue<std::uint32_t, 16>> q) -> task<> {
            for (unsigned i = 0; i < 3 * rounds; ++i) co_await tess::push(q, tess::here() * 100 + i);
          },
          part(s, &shared::inbox));
      for (unsigned i = 0; i < 3 * rounds; ++i) expected += p * 100 + i;
    }
    for (unsigned t = 0; t < 2; ++t)
      tess::spawn([](shared* to, std::uint64_t* into) -> task<> {
        unsigned const mine = 3 * rounds * tess::places() / 2;
        std::uint64_t taken = 0;
        for (unsigned i = 0; i < mine; ++i) taken += co_await to->inbox.pop();
        std::atomic_ref(*into).fetch_add(taken);
      }(&own, &sum));
  });
  // An odd number of items leaves one.
  if (auto const last = own.inbox.try_pop()) sum += *last;
  expect(sum == expected, "items of a queue were lost, or came twice");
  expect(!own.inbox.try_pop(), "an item too many");
}

/// Place 0 does not yield until all others have reported that they have finished.
task<> nobody_is_asked(global_ptr<shared> s, shared& own) {
  if (tess::detail::event_lines == nullptr) co_return;
  co_await tess::finish([&]() -> task<> {
    for (place_id p = 1; p < tess::places(); ++p) {
      tess::at_async(
          p,
          [](global_ptr<shared> to) -> task<> {
            co_await tess::fetch_add(part(to, &shared::ready), std::uint64_t{1});
            while (co_await tess::get(part(to, &shared::ready)) < tess::places()) co_await tess::yield();
            for (unsigned i = 0; i < rounds; ++i) {
              co_await tess::lock(part(to, &shared::lock));
              co_await tess::push(part(to, &shared::few), i);
              expect(co_await tess::pop(part(to, &shared::few)) == i, "another one's item, under the lock");
              co_await tess::unlock(part(to, &shared::lock));
            }
            co_await tess::fetch_add(part(to, &shared::finished), std::uint64_t{1});
          },
          s);
    }
    auto const at = [](std::uint64_t& word) { return std::atomic_ref(word); };
    while (at(own.ready).load() + 1 < tess::places()) co_await tess::yield();
    at(own.ready).fetch_add(1);
    std::uint64_t turns = 0;
    while (at(own.finished).load() + 1 < tess::places() && turns < 20'000'000) ++turns;
    expect(at(own.finished).load() + 1 == tess::places(), "they needed this place for its own events");
  });
}

/// Lines are released; when none is free, events stay in memory.
task<> lines_run_out_and_come_back() {
  for (unsigned round = 0; round < 3; ++round) {
    std::vector<global_ptr<tess::mutex>> locks;
    for (unsigned i = 0; i < 80; ++i) {
      auto const raw = tess::allocate<std::uint64_t>(1);
      new (raw.local()) tess::mutex;
      locks.push_back(global_ptr<tess::mutex>::from_bits(raw.bits()));
    }
    for (auto const lock : locks)
      co_await tess::at(
          static_cast<place_id>(1),
          [](global_ptr<tess::mutex> m) -> task<> {
            for (unsigned i = 0; i < 2; ++i) {
              co_await tess::lock(m);
              expect(!co_await tess::try_lock(m), "locked twice");
              co_await tess::unlock(m);
            }
          },
          lock);
    for (auto const lock : locks) {
      auto* const here = reinterpret_cast<tess::mutex*>(tess::detail::to_local(lock.bits()));
      expect(here->try_lock(), "not free at its end");
      here->unlock();
      here->~mutex();
      tess::deallocate(global_ptr<std::uint64_t>::from_bits(lock.bits()));
    }
  }
}

task<int> all(tess::args) {
  auto const raw = tess::allocate<std::byte>(sizeof(shared));
  auto* const own = new (raw.local()) shared;
  auto const s = global_ptr<shared>::from_bits(raw.bits());
  co_await locks_exclude(s, *own);
  co_await items_are_matched(s);
  co_await items_come_in(s, *own);
  co_await nobody_is_asked(s, *own);
  own->~shared();
  tess::deallocate(raw);
  co_await lines_run_out_and_come_back();
  std::uint64_t failures = 0;
  for (place_id p = 0; p < tess::places(); ++p)
    failures += co_await tess::at(p, [] { return std::uint64_t{failed.load()}; });
  if (failures != 0) throw tess::error("tile_events", std::to_string(failures) + " expectations failed", "none");
  std::printf("all as expected, %s\n", tess::detail::event_lines != nullptr ? "on lines" : "by messages");
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, all);
}
