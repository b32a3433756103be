// ordered_places: calls and transfers between places whose accesses are ordered, each by another means. Usage:
// ordered_places NAME.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "cases.hpp"

namespace {

using tess::task;

int next_place() {
  return static_cast<int>((tess::here() + 1U) % tess::places());
}
int last_place() {
  return static_cast<int>(tess::places()) - 1;
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

task<void> by_items_of_one_batch() {
  using values = std::array<long, 16>;
  auto const all = co_await tess::place_local<values>::make();
  auto const items = tess::make_stream<unsigned>([all](std::span<unsigned const> some) {
    for (unsigned const i : some)
      if ((*tess::window(all.of(0)))[i] != 1) std::puts("wrong");
  });
  co_await tess::finish([&] {
    for (unsigned i = 1; i < 16; ++i)
      tess::spawn([=] {
        (*all)[i] = 1;
        items.send(last_place(), i);
      });
  });
  co_await tess::place_local<values>::release(all);
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

case_list const cases{CASE(by_a_notification),
                      CASE(by_a_mutex_of_another_place),
                      CASE(by_a_tree_barrier),
                      CASE(by_barriers_and_reductions),
                      CASE(by_a_reply),
                      CASE(by_a_finish_over_places),
                      CASE(by_tasks_that_a_call_leaves),
                      CASE(by_distributed_containers),
                      CASE(by_arrays),
                      CASE(by_a_stream),
                      CASE(by_items_of_one_batch),
                      CASE(by_copies_of_objects),
                      CASE(by_exceptions)};

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, cases);
}
