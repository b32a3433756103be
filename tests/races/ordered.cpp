// ordered: programs whose accesses are ordered, each by another means. Usage: ordered NAME.
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tess/tess.hpp>
#include <vector>

namespace {

using tess::task;

int next_place() {
  return static_cast<int>((tess::here() + 1U) % tess::places());
}
int last_place() {
  return static_cast<int>(tess::places()) - 1;
}

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
      total = sum;
    });
  }
}

task<void> by_a_notification() {
  struct inbox {
    std::array<long, 16> bytes{};
    tess::counter arrived;
  };
  auto const boxes = co_await tess::place_local<inbox>::make();
  co_await tess::on_all_places(
      [](tess::place_local<inbox> b) -> task<void> {
        for (int round = 0; round < 5; ++round) {
          b->arrived.expect(1);
          co_await tess::barrier();
          std::vector<long> const from(16, round);
          tess::counter sent;
          auto const there = tess::global_ptr<long>::from_bits(b.of(next_place()).bits());
          auto const notified =
              tess::global_ptr<tess::counter>::from_bits(b.of(next_place()).bits() + offsetof(inbox, arrived));
          tess::put(std::span<long const>(from), there, sent, notified);
          co_await b->arrived;
          for (long const v : b->bytes)
            if (v != round) std::puts("wrong");
          co_await sent;
          co_await tess::barrier();
        }
      },
      boxes);
  co_await tess::place_local<inbox>::release(boxes);
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

task<void> by_a_mutex_of_another_place() {
  struct shared {
    tess::mutex lock;
    long value = 0;
  };
  auto const all = co_await tess::place_local<shared>::make();
  co_await tess::on_all_places(
      [](tess::place_local<shared> s) -> task<void> {
        for (int i = 0; i < 10; ++i) {
          auto const lock = tess::global_ptr<tess::mutex>::from_bits(s.of(last_place()).bits());
          auto const held = co_await tess::guard(lock);
          co_await tess::at(last_place(), [](tess::place_local<shared> t) { t->value += 1; }, s);
        }
      },
      all);
  co_await tess::place_local<shared>::release(all);
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

task<void> by_a_tree_barrier() {
  auto const barrier = co_await tess::tree_barrier::make(2);
  auto const values = co_await tess::place_local<std::array<long, 2>>::make();
  co_await tess::on_all_places(
      [](tess::tree_barrier b, tess::place_local<std::array<long, 2>> v) -> task<void> {
        co_await tess::finish([&] {
          for (unsigned t = 0; t < 2; ++t)
            tess::spawn(
                [](tess::tree_barrier c, tess::place_local<std::array<long, 2>> w, unsigned me) -> task<void> {
                  for (int i = 0; i < 10; ++i) {
                    (*w)[me] = i;
                    co_await c.arrive_and_wait();
                    if ((*w)[1 - me] != i) std::puts("wrong");
                    co_await c.arrive_and_wait();
                  }
                },
                b, v, t);
        });
      },
      barrier, values);
  co_await tess::place_local<std::array<long, 2>>::release(values);
  co_await tess::tree_barrier::release(barrier);
}

task<void> by_barriers_and_reductions() {
  auto const values = co_await tess::place_local<long>::make(0L);
  co_await tess::on_all_places(
      [](tess::place_local<long> v) -> task<void> {
        for (long i = 0; i < 10; ++i) {
          *v = i;
          co_await tess::barrier();
          // Another place's, through the window and by a call.
          if (*tess::window(v.of(next_place())) != i) std::puts("wrong");
          co_await tess::barrier();
          *v = i + 1;
          if (co_await tess::all_reduce(long{1}) != static_cast<long>(tess::places())) std::puts("wrong");
          if (*tess::window(v.of(next_place())) != i + 1) std::puts("wrong");
          static_cast<void>(co_await tess::all_gather(*v));
          std::vector<long> sums(100, *v);
          co_await tess::all_reduce(std::span(sums));
        }
      },
      values);
  co_await tess::place_local<long>::release(values);
}

task<void> by_a_reply() {
  auto const values = co_await tess::place_local<std::vector<long>>::make();
  for (int i = 0; i < 50; ++i) {
    std::string const text = "number " + std::to_string(i);
    auto const back = co_await tess::at(
        i % static_cast<int>(tess::places()),
        [](tess::place_local<std::vector<long>> v, std::string s) {
          v->push_back(static_cast<long>(s.size()));
          return s + "!";
        },
        values, text);
    if (back.size() != text.size() + 1) std::puts("wrong");
    co_await tess::at(
        i % static_cast<int>(tess::places()),
        [](tess::place_local<std::vector<long>> v) -> task<void> {
          v->push_back(1);
          co_await tess::yield();
          v->push_back(2);
        },
        values);
  }
  co_await tess::place_local<std::vector<long>>::release(values);
}

task<void> by_a_finish_over_places() {
  auto const values = co_await tess::place_local<std::array<long, 64>>::make();
  for (int round = 0; round < 5; ++round) {
    co_await tess::finish([&] {
      for (int i = 0; i < 64; ++i)
        tess::at_async(
            i % static_cast<int>(tess::places()),
            [](tess::place_local<std::array<long, 64>> v, int k) { (*v)[static_cast<std::size_t>(k)] += 1; }, values,
            i);
    });
    co_await tess::finish([&] {
      for (int p = 0; p <= last_place(); ++p)
        tess::at_async(
            p,
            [](tess::place_local<std::array<long, 64>> v) -> task<void> {
              for (auto& x : *v) x += 1;
              co_await tess::yield();
              for (auto& x : *v) x += 1;
            },
            values);
    });
  }
  co_await tess::place_local<std::array<long, 64>>::release(values);
}

task<void> by_tasks_that_a_call_leaves() {
  auto const values = co_await tess::place_local<long>::make(0L);
  for (int i = 0; i < 10; ++i) {
    co_await tess::finish([&]() -> task<void> {
      co_await tess::at(
          last_place(),
          [](tess::place_local<long> v) {
            tess::spawn(
                [](tess::place_local<long> w) -> task<void> {
                  co_await tess::yield();
                  *w += 1;
                },
                v);
          },
          values);
    });
    co_await tess::at(last_place(), [](tess::place_local<long> v) { *v += 1; }, values);
  }
  co_await tess::place_local<long>::release(values);
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

task<void> by_distributed_containers() {
  auto const counts = co_await tess::distributed_map<std::string, long>::make();
  auto const work = co_await tess::distributed_queue<std::vector<int>>::make();
  co_await tess::on_all_places(
      [](tess::distributed_map<std::string, long> c, tess::distributed_queue<std::vector<int>> q) -> task<void> {
        for (int i = 0; i < 40; ++i) {
          c.update_async(std::to_string(i % 7), [](long& n) { ++n; });
          q.push(std::vector<int>(10, i));
          static_cast<void>(co_await q.pop());
        }
      },
      counts, work);
  if (co_await counts.find("3") != 6 * static_cast<long>(tess::places()) &&
      co_await counts.find("3") != 5 * static_cast<long>(tess::places()))
    std::puts("wrong");
  co_await tess::distributed_map<std::string, long>::release(counts);
  co_await tess::distributed_queue<std::vector<int>>::release(work);
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

task<void> by_arrays() {
  auto const a = co_await tess::global_array<long>::make(1000);
  auto const b = co_await tess::cyclic_array<long>::make(1000);
  co_await tess::fill(a, 3L);
  co_await tess::on_all_places(
      [](tess::global_array<long> x) {
        for (auto& v : x.local()) v += 1;
      },
      a);
  co_await tess::copy(a, b);
  co_await tess::sort(a);
  co_await tess::global_array<long>::release(a);
  co_await tess::cyclic_array<long>::release(b);
}

task<void> by_a_stream() {
  auto const sums = co_await tess::place_local<std::array<long, 64>>::make();
  co_await tess::on_all_places(
      [](tess::place_local<std::array<long, 64>> s) {
        auto const items = tess::make_stream<unsigned>([s](std::span<unsigned const> some) {
          tess::place_atomic([&] {
            for (unsigned const i : some) (*s)[i] += 1;
          });
        });
        for (unsigned i = 0; i < 1000; ++i) items.send(static_cast<int>(i % tess::places()), i % 64);
      },
      sums);
  long all = 0;
  for (int p = 0; p <= last_place(); ++p)
    all += co_await tess::at(
        p,
        [](tess::place_local<std::array<long, 64>> s) {
          long sum = 0;
          for (long const v : *s) sum += v;
          return sum;
        },
        sums);
  if (all != 1000 * static_cast<long>(tess::places())) std::puts("wrong");
  co_await tess::place_local<std::array<long, 64>>::release(sums);
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

struct tree {
  int value;
  tree* left;
  tree* right;
};
task<void> by_copies_of_objects() {
  for (int i = 0; i < 10; ++i) {
    auto* const root = tess::make<tree>(1, tess::make<tree>(2, nullptr, nullptr), nullptr);
    auto const grown = co_await tess::at(
        last_place(),
        [](tree* t) -> task<tree*> {
          t->right = tess::make<tree>(3, nullptr, nullptr);
          co_await tess::yield();
          t->left->value += 1;
          co_return t;
        },
        root);
    root->value += grown->right->value;
  }
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

task<void> by_exceptions() {
  for (int i = 0; i < 10; ++i) {
    std::string text;
    try {
      co_await tess::finish([] {
        tess::at_async(last_place(), []() -> task<void> {
          co_await tess::yield();
          throw std::runtime_error("thrown there");
        });
      });
    } catch (std::exception const& e) {
      text = e.what();
    }
    if (text.empty()) std::puts("wrong");
  }
}

std::map<std::string, std::function<task<void>()>> const cases{
#define CASE(name) {#name, name}
    CASE(by_spawn_and_finish),
    CASE(by_a_counter),
    CASE(by_a_notification),
    CASE(by_a_sync_var),
    CASE(by_a_queue),
    CASE(by_a_match_queue),
    CASE(by_a_mutex),
    CASE(by_a_mutex_of_another_place),
    CASE(by_a_semaphore),
    CASE(by_an_event_counter),
    CASE(by_a_flag_of_an_event_counter),
    CASE(by_a_tree_barrier),
    CASE(by_barriers_and_reductions),
    CASE(by_a_reply),
    CASE(by_a_finish_over_places),
    CASE(by_tasks_that_a_call_leaves),
    CASE(by_place_atomic),
    CASE(by_a_word_as_flag),
    CASE(by_waiting_for_a_word),
    CASE(by_when_all),
    CASE(by_futures),
    CASE(by_distributed_containers),
    CASE(by_forall),
    CASE(by_arrays),
    CASE(by_a_stream),
    CASE(by_locks_and_atomics_of_the_language),
    CASE(by_no_byte_in_common),
    CASE(by_new_memory),
    CASE(by_copies_of_objects),
    CASE(by_stopping),
    CASE(by_exceptions)};

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args words) -> task<int> {
    if (words.size() != 1 || (words[0] != "all" && !cases.contains(words[0]))) {
      for (auto const& [name, body] : cases) std::printf("%s\n", name.c_str());
      co_return 2;
    }
    for (auto const& [name, body] : cases)
      if (words[0] == "all" || words[0] == name) co_await body();
    co_return 0;
  });
}
