// typed_words: words that are pointers or floating point change atomically at every place, on every fabric.
// Method: edge values one by one; sums whose every order is exact; a list that all places push to and pop from at once.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class typed_words : public on_layouts {};

template <class T>
task<void> all_of(place_id p) {
  using limits = std::numeric_limits<T>;
  auto const w = co_await at(p, [] { return allocate<T>(); });
  for (T const old : {T(0), T(1.25), T(-3), limits::lowest(), limits::infinity()})
    for (T const a : {T(0), T(-1.25), T(7), limits::max()}) {
      auto const step = [&](auto operation, T expected) -> task<void> {
        co_await put(w, old);
        EXPECT_EQ(co_await operation(), old);
        EXPECT_EQ(co_await get(w), expected) << old << " with " << a;
      };
      co_await step([&] { return fetch_add(w, a); }, old + a);
      co_await step([&] { return fetch_sub(w, a); }, old - a);
      co_await step([&] { return fetch_min(w, a); }, std::min(old, a));
      co_await step([&] { return fetch_max(w, a); }, std::max(old, a));
      co_await step([&] { return exchange(w, a); }, a);
    }
  co_await put(w, T(2));
  EXPECT_EQ(co_await fetch_min(w, limits::quiet_NaN()), T(2));
  EXPECT_EQ(co_await fetch_max(w, limits::quiet_NaN()), T(2));
  EXPECT_EQ(co_await get(w), T(2));
  co_await put(w, limits::quiet_NaN());
  EXPECT_TRUE(std::isnan(co_await fetch_max(w, T(1))));
  EXPECT_TRUE(std::isnan(co_await get(w)));
  co_await at(p, [](global_ptr<T> g) { deallocate(g); }, w);
}

TEST_P(typed_words, of_floating_point_add_compare_and_exchange) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i) {
      co_await all_of<float>(static_cast<place_id>(i));
      co_await all_of<double>(static_cast<place_id>(i));
    }
  });
}

TEST_P(typed_words, lose_no_addition_of_any_place) {
  run_here([]() -> task<void> {
    constexpr int tasks = 20, each = 100;
    auto const sum = co_await at(static_cast<place_id>(places() - 1), [] { return allocate<double>(); });
    co_await put(sum, 0.0);
    co_await on_all_places(
        [](global_ptr<double> s) {
          for (int t = 0; t < tasks; ++t)
            spawn(
                [](global_ptr<double> g) -> task<void> {
                  // Quarters are exact in any order.
                  for (int i = 0; i < each; ++i) {
                    auto a = fetch_add(g, 0.5);
                    co_await fetch_sub(g, 0.25);
                    co_await a;
                  }
                },
                s);
        },
        sum);
    EXPECT_EQ(co_await get(sum), 0.25 * tasks * each * places());
    co_await at(sum.place(), [](auto g) { deallocate(g); }, sum);
  });
}

struct node {
  global_ptr<node> next;
  std::uint64_t value;
};
using list_head = global_ptr<global_ptr<node>>;

constexpr auto make_node = [](std::uint64_t v) {
  auto const n = allocate<node>();
  *n.local() = {nullptr, v};
  return n;
};
constexpr auto free_node = [](global_ptr<node> n) { deallocate(n); };

task<void> push(list_head head, global_ptr<node> n) {
  auto const next_of = n.as<global_ptr<node>>();
  for (auto top = co_await get(head);;) {
    co_await put(next_of, top);
    auto const seen = co_await compare_swap(head, top, n);
    if (seen == top) co_return;
    top = seen;
  }
}

TEST_P(typed_words, link_a_list_that_all_places_push_to) {
  run_here([]() -> task<void> {
    constexpr std::uint64_t tasks = 8, each = 25;
    auto const head = allocate<global_ptr<node>>();
    co_await put(head.as<std::uint64_t>(), 0);
    EXPECT_FALSE(co_await get(head)) << "a word of zeros is null";
    co_await on_all_places(
        [](list_head h) {
          for (std::uint64_t t = 0; t < tasks; ++t)
            spawn(
                [](list_head g, std::uint64_t first) -> task<void> {
                  for (std::uint64_t i = 0; i < each; ++i) co_await push(g, make_node(first + i));
                },
                h, (here() * tasks + t) * each);
        },
        head);
    // Taken as a whole by one exchange; every value is there once, and lies where it was made.
    std::vector<std::uint64_t> values;
    for (auto n = co_await exchange(head, nullptr); n;) {
      node const v = co_await get(n);
      EXPECT_EQ(v.value / (tasks * each), n.place());
      values.push_back(v.value);
      co_await at(n.place(), free_node, n);
      n = v.next;
    }
    EXPECT_FALSE(co_await get(head));
    std::ranges::sort(values);
    EXPECT_EQ(values.size(), tasks * each * places());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i);
    deallocate(head);
  });
}

TEST_P(typed_words, compare_pointers_of_every_place_by_all_their_bits) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i) {
      auto const p = static_cast<place_id>(i);
      auto const w = co_await at(p, [] { return allocate<global_ptr<int>>(); });
      global_ptr<int> const a(p, 64), other_place(static_cast<place_id>(p + 1), 64);
      co_await put(w, a);
      EXPECT_EQ(co_await compare_swap(w, other_place, nullptr), a);
      EXPECT_EQ(co_await get(w), a);
      EXPECT_EQ(co_await compare_swap(w, a, other_place), a);
      EXPECT_EQ(co_await exchange(w, a), other_place);
      co_await at(p, [](auto g) { deallocate(g); }, w);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, typed_words, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
