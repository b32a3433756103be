// distributed: cyclic arrays, algorithms on arrays, and hash tables and queues that are spread over places.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "runtime/run_job.hpp"
#include "tess/tess.hpp"

namespace tess::test {
namespace {

class distributed : public on_layouts {};

TEST_P(distributed, cyclic_arrays_hold_each_element_once) {
  run_here([]() -> task<void> {
    for (std::uint64_t const size : {0U, 1U, 2U, 7U, 64U, 100U}) {
      for (std::uint64_t const block : {1U, 2U, 5U, 200U}) {
        auto const a = co_await cyclic_array<std::uint64_t>::make(size, block);
        std::uint64_t counted = 0;
        for (unsigned p = 0; p < places(); ++p) counted += a.count_at(static_cast<place_id>(p));
        EXPECT_EQ(counted, size);
        for (std::uint64_t i = 0; i < size; ++i) {
          auto const [place, offset] = a.where(i);
          EXPECT_EQ(place, i / block % places());
          EXPECT_LT(offset, a.count_at(place));
          EXPECT_EQ(a.index(place, offset), i);
          EXPECT_EQ(a.owner(i), a[i].place());
          co_await put(a[i], i * 3);
        }
        std::uint64_t wrong = 0;
        for (unsigned p = 0; p < places(); ++p)
          wrong += co_await at(
              static_cast<place_id>(p),
              [](cyclic_array<std::uint64_t> b) {
                std::uint64_t different = b.local().size() != b.count_at(here());
                for (std::uint64_t k = 0; k < b.local().size(); ++k)
                  different += b.local()[k] != b.index(here(), k) * 3;
                return different;
              },
              a);
        EXPECT_EQ(wrong, 0U);
        co_await forall(a, [](std::uint64_t i, std::uint64_t& x) { x += i; });
        for (std::uint64_t i = 0; i < size; i += 3) EXPECT_EQ(co_await get(a[i]), i * 4);
        co_await cyclic_array<std::uint64_t>::release(a);
      }
    }
  });
}

TEST_P(distributed, arrays_say_where_an_element_is) {
  run_here([]() -> task<void> {
    auto const a = co_await global_array<int>::make(50, 4);
    for (std::uint64_t i = 0; i < 50; ++i) {
      auto const [place, offset] = a.where(i);
      EXPECT_EQ(place, a.owner(i));
      EXPECT_EQ(a.begin_at(place) + offset, i);
    }
    co_await global_array<int>::release(a);
  });
}

TEST_P(distributed, arrays_are_filled_and_copied) {
  run_here([]() -> task<void> {
    auto const a = co_await global_array<int>::make(101);
    auto const b = co_await global_array<int>::make(101, 32);
    auto const c = co_await cyclic_array<int>::make(101, 3);
    co_await fill(a, 7);
    co_await fill(c, 8);
    EXPECT_EQ(co_await get(a[100]), 7);
    EXPECT_EQ(co_await get(c[100]), 8);
    co_await forall(a, [](std::uint64_t i, int& x) { x = static_cast<int>(i); });
    co_await copy(a, b);
    co_await copy(b, c);
    co_await fill(a, -1);
    co_await copy(c, a);
    for (std::uint64_t i = 0; i < 101; ++i) {
      EXPECT_EQ(co_await get(b[i]), static_cast<int>(i));
      EXPECT_EQ(co_await get(c[i]), static_cast<int>(i));
      EXPECT_EQ(co_await get(a[i]), static_cast<int>(i));
    }
    auto const shorter = co_await global_array<int>::make(100);
    EXPECT_THROW(static_cast<void>(copy(a, shorter)), error);
    co_await global_array<int>::release(shorter);
    co_await cyclic_array<int>::release(c);
    co_await global_array<int>::release(b);
    co_await global_array<int>::release(a);
  });
}

TEST_P(distributed, arrays_are_sorted) {
  run_here([]() -> task<void> {
    for (std::uint64_t const size : {0U, 1U, 3U, 64U, 5000U}) {
      for (std::uint64_t const different : {1U, 3U, 1U << 30U}) {
        auto const a = co_await global_array<std::uint64_t>::make(size);
        std::mt19937_64 random(size);
        std::vector<std::uint64_t> expected(size);
        for (auto& x : expected) x = random() % different;
        if (size != 0) {
          for (unsigned p = 0; p < places(); ++p) {
            std::uint64_t const begin = a.begin_at(static_cast<place_id>(p));
            std::uint64_t const end = a.end_at(static_cast<place_id>(p));
            if (begin != end) co_await put(std::span(expected).subspan(begin, end - begin), a[begin]);
          }
        }
        auto const all = [&]() -> task<std::vector<std::uint64_t>> {
          std::vector<std::uint64_t> got;
          for (std::uint64_t i = 0; i < size; ++i) got.push_back(co_await get(a[i]));
          co_return got;
        };
        co_await sort(a);
        std::ranges::sort(expected);
        EXPECT_EQ(co_await all(), expected);
        co_await sort(a, std::greater<>());
        std::ranges::reverse(expected);
        EXPECT_EQ(co_await all(), expected);
        co_await global_array<std::uint64_t>::release(a);
      }
    }
  });
}

TEST_P(distributed, maps_count_words_from_all_places) {
  run_here([]() -> task<void> {
    using map = distributed_map<std::string, std::uint64_t>;
    auto const m = co_await map::make();
    co_await on_all_places(
        [](map counts) {
          for (unsigned i = 0; i < 300; ++i)
            counts.update_async("word " + std::to_string(i % 50), [](std::uint64_t& count) { ++count; });
        },
        m);
    EXPECT_EQ(co_await m.size(), 50U);
    for (unsigned i = 0; i < 50; ++i) EXPECT_EQ(co_await m.find("word " + std::to_string(i)), 6U * places());
    EXPECT_EQ(co_await m.find("another"), std::nullopt);
    EXPECT_TRUE(co_await m.insert("another", 1));
    EXPECT_FALSE(co_await m.insert("another", 2));
    EXPECT_EQ(co_await m.find("another"), 1U);
    EXPECT_FALSE(co_await m.assign("another", 3));
    EXPECT_EQ(co_await m.update("another", [](std::uint64_t& n, std::uint64_t more) { return n += more; }, 4U), 7U);
    EXPECT_TRUE(co_await m.erase("another"));
    EXPECT_FALSE(co_await m.erase("another"));
    co_await finish([&] { m.assign_async("late", 5); });
    EXPECT_EQ(co_await m.find("late"), 5U);
    co_await forall(m, [](std::string const&, std::uint64_t& n) { n = 1; });
    EXPECT_EQ(co_await m.find("word 3"), 1U);
    co_await map::release(m);
  });
}

TEST_P(distributed, sets_have_each_key_once) {
  run_here([]() -> task<void> {
    using set = distributed_set<std::uint64_t>;
    auto const s = co_await set::make();
    co_await on_all_places(
        [](set keys) {
          for (std::uint64_t i = 0; i < 200; ++i) keys.insert_async(i * i % 97);
        },
        s);
    std::set<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < 200; ++i) expected.insert(i * i % 97);
    EXPECT_EQ(co_await s.size(), expected.size());
    for (std::uint64_t i = 0; i < 97; ++i) EXPECT_EQ(co_await s.contains(i), expected.contains(i)) << i;
    EXPECT_TRUE(co_await s.insert(1000));
    EXPECT_FALSE(co_await s.insert(1000));
    EXPECT_TRUE(co_await s.erase(1000));
    EXPECT_FALSE(co_await s.contains(1000));
    co_await set::release(s);
  });
}

TEST_P(distributed, queues_give_each_value_once) {
  run_here([]() -> task<void> {
    using queue_of_all = distributed_queue<std::string>;
    auto const q = co_await queue_of_all::make();
    co_await on_all_places(
        [](queue_of_all all) {
          for (int i = 0; i < 20; ++i) all.push(std::to_string(here()) + "." + std::to_string(i));
        },
        q);
    co_await finish([&] { q.push_async(static_cast<place_id>(places() - 1), "late"); });
    EXPECT_EQ(co_await q.size(), 20U * places() + 1);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(co_await q.pop(), "0." + std::to_string(i));  // its own first
    std::set<std::string> got;
    while (auto const value = co_await q.pop()) EXPECT_TRUE(got.insert(*value).second) << *value;
    EXPECT_EQ(got.size(), 20U * (places() - 1U) + 1);
    co_await queue_of_all::release(q);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, distributed, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
