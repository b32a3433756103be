// ordered_tasks: tasks of one place whose accesses are ordered, each by another means. Usage: ordered_tasks NAME.
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cases.hpp"

namespace {

using tess::task;

long total;

task<void> by_spawn_and_finish() {
  long value = 1;
  for (int round = 0; round < 20; ++round) {
    co_await tess::finish([&] {
      tess::spawn([&]() -> task<void> {
        value += 1;
        co_await tess::finish([&] { tess::spawn([&] { value += 1; }); });
        value += 1;
      });
    });
    value += 1;
  }
}

task<void> by_a_counter() {
  for (int round = 0; round < 20; ++round) {
    tess::counter done;
    std::array<long, 4> values{};
    done.expect(4);
    co_await tess::finish([&]() -> task<void> {
      for (auto& v : values)
        tess::spawn([&]() -> task<void> {
          co_await tess::yield();
          v = 1;
          done.acknowledge();
        });
      co_await done;
      long sum = 0;
      for (long const v : values) sum += v;
      if (sum != 4) std::puts("wrong");
    });
  }
}

task<void> by_a_sync_var() {
  tess::sync_var<int> full;
  long value = 0;
  co_await tess::finish([&] {
    tess::spawn([&]() -> task<void> {
      for (int i = 0; i < 50; ++i) {
        value = i;
        co_await full.write_ef(i);
        static_cast<void>(co_await full.read_fe());
      }
    });
  });
  tess::sync_var<long> there, back;
  co_await tess::finish([&] {
    tess::spawn([&]() -> task<void> {
      for (int i = 0; i < 50; ++i) {
        value = i;
        co_await there.write_ef(i);
        static_cast<void>(co_await back.read_fe());
      }
    });
    tess::spawn([&]() -> task<void> {
      for (int i = 0; i < 50; ++i) {
        static_cast<void>(co_await there.read_fe());
        value += 1;
        co_await back.write_ef(value);
      }
    });
  });
}

task<void> by_a_queue() {
  struct item {
    std::unique_ptr<long> what;
  };
  tess::queue<item*, 4> items;
  co_await tess::finish([&] {
    tess::spawn([&]() -> task<void> {
      for (int i = 0; i < 100; ++i) co_await items.push(new item{std::make_unique<long>(i)});
    });
    tess::spawn([&]() -> task<void> {
      for (int i = 0; i < 100; ++i) {
        std::unique_ptr<item> const got(co_await items.pop());
        *got->what += 1;
      }
    });
  });
}

task<void> by_a_match_queue() {
  tess::match_queue<long*, 4> items;
  std::array<long, 50> values{};
  co_await tess::finish([&] {
    tess::spawn([&]() -> task<void> {
      for (auto& v : values) {
        v = 1;
        co_await items.push(&v);
      }
    });
    for (int k = 0; k < 2; ++k)
      tess::spawn([&]() -> task<void> {
        for (int i = 0; i < 25; ++i) *co_await items.pop() += 1;
      });
  });
}

task<void> by_a_mutex() {
  tess::mutex lock;
  long value = 0;
  co_await tess::finish([&] {
    for (int i = 0; i < 20; ++i)
      tess::spawn([&]() -> task<void> {
        co_await lock.lock();
        value += 1;
        co_await tess::yield();
        value += 1;
        lock.unlock();
        auto const held = co_await lock.guard();
        value += 1;
      });
  });
}

task<void> by_a_semaphore() {
  tess::semaphore one(1);
  long value = 0;
  co_await tess::finish([&] {
    for (int i = 0; i < 20; ++i)
      tess::spawn([&]() -> task<void> {
        co_await one.acquire();
        value += 1;
        co_await tess::yield();
        value += 1;
        one.release();
      });
  });
}

task<void> by_an_event_counter() {
  tess::event_counter all(4, 4);
  std::array<long, 4> values{};
  co_await tess::finish([&]() -> task<void> {
    auto const phase = all.phase();
    for (auto& v : values)
      tess::spawn([&] {
        v = 2;
        all.add(-1);
      });
    co_await all.wait(phase);
    for (auto& v : values) v += 1;
  });
}

task<void> by_a_flag_of_an_event_counter() {
  auto const flag = tess::allocate<std::uint64_t>();
  *flag.local() = 0;
  tess::event_counter all(2, 2);
  all.notify(flag, 1);
  long value = 0;
  co_await tess::finish([&]() -> task<void> {
    tess::spawn([&] {
      value = 1;
      all.add(-2);
    });
    static_cast<void>(co_await tess::wait_until(flag, [](std::uint64_t v) { return v == 1; }));
    value = 2;
  });
  tess::deallocate(flag);
}

task<void> by_place_atomic() {
  co_await tess::finish([] {
    for (int i = 0; i < 50; ++i) {
      tess::at_async(0, [] { tess::place_atomic([] { total += 1; }); });
      tess::spawn([] { tess::place_atomic([] { total += 1; }); });
    }
  });
}

task<void> by_a_word_as_flag() {
  auto const arrived = tess::allocate<std::uint64_t>();
  *arrived.local() = 0;
  std::array<long, 8> values{};
  long sum = 0;
  co_await tess::finish([&] {
    for (unsigned i = 0; i < 8; ++i)
      tess::spawn([&, i]() -> task<void> {
        values[i] = 1;
        if (co_await tess::fetch_add(arrived, 1) != 7) co_return;
        for (long const v : values) sum += v;
      });
  });
  if (sum != 8) std::puts("wrong");
  tess::deallocate(arrived);
}

task<void> by_release_and_acquire() {
  auto const flag = tess::allocate<long>();
  for (long round = 1; round < 20; ++round) {
    co_await tess::put(flag, 0);
    co_await tess::finish([&] {
      tess::spawn([flag, round]() -> task<void> {
        total = round;
        co_await tess::put(flag, 1, std::memory_order_release);
      });
      tess::spawn([flag, round]() -> task<void> {
        while (co_await tess::get(flag, std::memory_order_acquire) == 0) {
        }
        if (total != round) std::puts("wrong");
      });
    });
  }
  tess::deallocate(flag);
}

task<void> by_waiting_for_a_word() {
  auto const flag = tess::allocate<std::uint64_t>();
  *flag.local() = 0;
  long value = 0;
  co_await tess::finish([&] {
    tess::spawn([&]() -> task<void> {
      value = 1;
      co_await tess::put(flag, 1);
    });
    tess::spawn([&]() -> task<void> {
      while (co_await tess::get(flag) == 0) {
      }
      value = 2;
    });
  });
  tess::deallocate(flag);
}

task<long> set(long& value, long to) {
  co_await tess::yield();
  value = to;
  co_return to;
}

task<void> by_when_all() {
  for (int i = 0; i < 10; ++i) {
    long a = 0, b = 0;
    auto const [x, y] = co_await tess::when_all(set(a, 1), set(b, 2));
    if (a + b != x + y) std::puts("wrong");
  }
}

task<void> by_futures() {
  for (int i = 0; i < 10; ++i) {
    co_await tess::finish([]() -> task<void> {
      auto const value = std::make_shared<long>(0);
      auto const written = tess::async([](std::shared_ptr<long> v) -> task<std::string> {
        co_await tess::yield();
        *v = 1;
        co_return std::string(100, 'x');
      }(value));
      auto const after = tess::then(written, [](std::string const& s) { return s.size(); });
      if (co_await after != 100 || (co_await written).size() != 100) std::puts("wrong");
      if (*value != 1) std::puts("wrong");
      long other = 0;
      auto const first = tess::async(set(other, 2));
      static_cast<void>(co_await tess::when_any(first));
      other = static_cast<long>(co_await first);
    });
  }
}

task<void> by_forall() {
  std::vector<long> values(500);
  co_await tess::forall(0, 500, [&](std::uint64_t i) { values[i] += 1; });
  co_await tess::forall(0, 500, [&](std::uint64_t i) -> task<void> {
    co_await tess::yield();
    values[i] += 1;
  });
  long sum = 0;
  for (long const v : values) sum += v;
  if (sum != 1000) std::puts("wrong");
}

task<void> by_locks_and_atomics_of_the_language() {
  static std::mutex lock;
  static std::atomic<int> ready{0};
  static std::map<int, std::string> texts;
  long value = 0;
  co_await tess::finish([&] {
    for (int i = 0; i < 20; ++i)
      tess::at_async(0, [] {
        static std::vector<int> const once(10, 3);
        std::scoped_lock const hold(lock);
        texts[static_cast<int>(texts.size())] = std::to_string(once[3]);
      });
    tess::spawn([&] {
      value = 3;
      ready.store(1, std::memory_order_release);
    });
    tess::spawn([&]() -> task<void> {
      while (ready.load(std::memory_order_acquire) == 0) co_await tess::yield();
      value += 1;
    });
    // The last owner destroys what the others have written.
    auto const shared = std::make_shared<std::array<long, 8>>();
    for (unsigned i = 0; i < 8; ++i) tess::spawn([shared, i] { (*shared)[i] = 1; });
  });
}

task<void> by_no_byte_in_common() {
  alignas(8) static std::array<char, 8> bytes;
  co_await tess::finish([] {
    for (unsigned i = 0; i < 8; ++i)
      tess::spawn([i]() -> task<void> {
        for (int k = 0; k < 20; ++k) {
          bytes[i] = static_cast<char>(bytes[i] + 1);
          co_await tess::yield();
        }
      });
  });
}

task<void> by_new_memory() {
  co_await tess::finish([] {
    for (int i = 0; i < 200; ++i)
      tess::spawn([]() -> task<void> {
        long in_a_frame = 1;
        auto const heap = std::make_unique<std::array<long, 20>>();
        (*heap)[3] = 1;
        auto const word = tess::allocate<long>();
        *word.local() = 1;
        co_await tess::yield();
        in_a_frame += *word.local();
        (*heap)[4] = in_a_frame;
        tess::deallocate(word);
      });
  });
}

task<void> by_stopping() {
  for (int i = 0; i < 5; ++i) {
    std::stop_source stop;
    long value = 0;
    co_await tess::finish([&] {
      tess::spawn([&]() -> task<void> {
        try {
          value = 1;
          co_await tess::with_stop(tess::sleep_for(std::chrono::seconds(10)), stop.get_token());
        } catch (tess::stopped const&) {
        }
      });
      tess::spawn([&]() -> task<void> {
        co_await tess::yield();
        stop.request_stop();
      });
    });
    value += 1;
  }
}

case_list const cases{CASE(by_spawn_and_finish),
                      CASE(by_a_counter),
                      CASE(by_a_sync_var),
                      CASE(by_a_queue),
                      CASE(by_a_match_queue),
                      CASE(by_a_mutex),
                      CASE(by_a_semaphore),
                      CASE(by_an_event_counter),
                      CASE(by_a_flag_of_an_event_counter),
                      CASE(by_place_atomic),
                      CASE(by_a_word_as_flag),
                      CASE(by_release_and_acquire),
                      CASE(by_waiting_for_a_word),
                      CASE(by_when_all),
                      CASE(by_futures),
                      CASE(by_forall),
                      CASE(by_locks_and_atomics_of_the_language),
                      CASE(by_no_byte_in_common),
                      CASE(by_new_memory),
                      CASE(by_stopping)};

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, cases);
}
