// arrays: forall visits every index once; a global array's arithmetic gives each element one address.
// Method: odd sizes against division; sums over everything; per-place objects made, used and destroyed.
#include <algorithm>
#include <numeric>

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"
#include "runtime/segment_left.hpp"

namespace tess::test {
namespace {

class arrays : public on_layouts {};

TEST_P(arrays, forall_calls_its_body_once_for_every_index) {
  run_here([]() -> task<void> {
    for (std::uint64_t const n : {0U, 1U, 7U, 1000U, 20001U})
      for (std::uint64_t const grain : {0U, 1U, 13U, 100000U}) {
        std::vector<std::uint8_t> calls(n + 2, 0);
        co_await forall(1, n + 1, [&](std::uint64_t i) { ++calls[i]; }, grain);
        for (std::uint64_t i = 0; i < n + 2; ++i) EXPECT_EQ(calls[i], i >= 1 && i <= n) << i << " of " << n;
        std::atomic<std::uint64_t> sum{0};
        co_await forall(
            0, n,
            [&](std::uint64_t i) -> task<void> {
              if (i % 16 == 0) co_await yield();
              sum += i;
            },
            grain);
        EXPECT_EQ(sum.load(), n == 0 ? 0 : n * (n - 1) / 2);
        std::atomic<std::uint64_t> covered{0};
        co_await forall_chunks(0, n, grain == 0 ? 64 : grain,
                               [&](std::uint64_t b, std::uint64_t e) { covered += e - b; });
        EXPECT_EQ(covered.load(), n);
      }
  });
}

TEST_P(arrays, forall_passes_an_exception_of_its_body_on) {
  run_here([]() -> task<void> {
    bool caught = false;
    try {
      co_await forall(0, 1000, [](std::uint64_t i) {
        if (i == 777) throw error("i", "777", "another");
      });
    } catch (error const&) {
      caught = true;
    }
    EXPECT_TRUE(caught);
  });
}

TEST_P(arrays, owner_and_address_agree_with_division_for_odd_sizes) {
  run_here([]() -> task<void> {
    for (std::uint64_t const n : {1U, 2U, 3U, 7U, 17U, 1000U, 65537U})
      for (std::uint64_t const unit : {1U, 4U, 7U}) {
        auto const a = co_await global_array<std::uint32_t>::make(n, unit);
        EXPECT_EQ(a.size(), n);
        EXPECT_EQ(a.block() % unit, 0U);
        EXPECT_GE(a.block() * places(), n);
        std::uint64_t covered = 0;
        for (unsigned p = 0; p < places(); ++p) {
          auto const place = static_cast<place_id>(p);
          EXPECT_LE(a.begin_at(place), a.end_at(place));
          covered += a.end_at(place) - a.begin_at(place);
        }
        EXPECT_EQ(covered, n);
        for (std::uint64_t i = 0; i < n; i += 1 + n / 200) {
          EXPECT_EQ(a.owner(i), i / a.block());
          EXPECT_EQ(a[i].place(), i / a.block());
          EXPECT_EQ(a[i].offset() - a[i / a.block() * a.block()].offset(), i % a.block() * 4);
          EXPECT_EQ(co_await get(a[i]), 0U) << "new elements are zero";
          co_await put(a[i], static_cast<std::uint32_t>(i + 1));
        }
        std::uint64_t const last = n - 1;
        co_await put(a[last], static_cast<std::uint32_t>(last + 1));
        EXPECT_EQ(co_await get(a[last]), n);
        co_await global_array<std::uint32_t>::release(a);
      }
  });
}

TEST_P(arrays, forall_over_an_array_visits_each_element_at_its_owner) {
  run_here([]() -> task<void> {
    constexpr std::uint64_t n = 10007;
    for (int round = 0; round < 3; ++round) {
      auto const a = co_await global_array<std::uint64_t>::make(n);
      co_await forall(a, [](std::uint64_t i, std::uint64_t& e) { e += i * 3 + here(); });
      std::uint64_t sum = 0, expected = 0;
      for (std::uint64_t i = 0; i < n; i += 97) {
        sum += co_await get(a[i]);
        expected += i * 3 + a.owner(i);
      }
      EXPECT_EQ(sum, expected);
      co_await global_array<std::uint64_t>::release(a);
    }
  });
}

TEST_P(arrays, too_large_for_any_machine_are_refused) {
  run_here([]() -> task<void> {
    for (std::uint64_t const n : {std::uint64_t{1} << 50, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
      bool refused = false;
      try {
        static_cast<void>(co_await global_array<std::uint64_t>::make(n));
      } catch (std::exception const&) {
        refused = true;
      }
      EXPECT_TRUE(refused) << n;
    }
    auto const a = co_await global_array<std::uint64_t>::make(100);
    co_await global_array<std::uint64_t>::release(a);
  });
}

TEST_P(arrays, released_twice_are_refused_the_second_time) {
  run_here([]() -> task<void> {
    auto const a = co_await global_array<int>::make(1000);
    co_await global_array<int>::release(a);
    bool refused = false;
    try {
      co_await global_array<int>::release(a);
    } catch (error const&) {
      refused = true;
    }
    EXPECT_TRUE(refused);
  });
}

struct resource {
  explicit resource(std::int64_t n) : value(n) { live.fetch_add(1); }
  ~resource() { live.fetch_sub(1); }
  std::int64_t value;
  static inline std::atomic<int> live{0};
};

TEST_P(arrays, place_local_makes_one_object_per_place_and_destroys_it) {
  run_here([]() -> task<void> {
    auto const h = co_await place_local<resource>::make(std::int64_t{7});
    EXPECT_EQ(resource::live.load(), places());
    co_await on_all_places([](place_local<resource> r) { r->value += here(); }, h);
    for (unsigned p = 0; p < places(); ++p)
      EXPECT_EQ(co_await at(static_cast<place_id>(p), [](place_local<resource> r) { return (*r).value; }, h), 7 + p);
    co_await place_local<resource>::release(h);
    EXPECT_EQ(resource::live.load(), 0);
  });
}

struct refused_at_last_place : resource {
  explicit refused_at_last_place(std::int64_t n) : resource(n) {
    if (here() + 1U == places()) throw error("constructor", "refused on purpose", "nothing");
  }
};

TEST_P(arrays, place_local_whose_constructor_throws_leaves_nothing_behind) {
  run_here([]() -> task<void> {
    std::uint64_t const before = test::symmetric_left_bytes();
    for (int i = 0; i < 3; ++i) {
      bool refused = false;
      try {
        static_cast<void>(co_await place_local<refused_at_last_place>::make(std::int64_t{7}));
      } catch (error const&) {
        refused = true;
      }
      EXPECT_TRUE(refused);
      EXPECT_EQ(resource::live.load(), 0);
    }
    EXPECT_EQ(test::symmetric_left_bytes(), before);
  });
}

TEST_P(arrays, place_atomic_sections_exclude_each_other) {
  run_here([]() -> task<void> {
    struct pair {
      std::int64_t a = 0, b = 0;
    };
    auto const h = co_await place_local<pair>::make();
    constexpr int tasks = 40, each = 500;
    co_await on_all_places(
        [](place_local<pair> p) {
          for (int t = 0; t < tasks; ++t)
            spawn(
                [](place_local<pair> q) -> task<void> {
                  for (int i = 0; i < each; ++i) {
                    place_atomic([&] {
                      EXPECT_EQ(q->a, q->b);
                      ++q->a;
                      ++q->b;
                    });
                    if (i % 50 == 0) co_await yield();
                  }
                },
                p);
        },
        h);
    for (unsigned p = 0; p < places(); ++p)
      EXPECT_EQ(co_await at(static_cast<place_id>(p), [](place_local<pair> q) { return q->a; }, h), tasks * each);
    bool thrown = false;
    try {
      place_atomic([] { throw 1; });
    } catch (int) {
      thrown = true;
    }
    EXPECT_TRUE(thrown);
    EXPECT_EQ(place_atomic([] { return 5; }), 5) << "the exception released the section";
    co_await place_local<pair>::release(h);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, arrays, testing::ValuesIn(all_layouts()), name_of);

class collectives : public on_layouts {};

TEST_P(collectives, agree_with_arithmetic_round_after_round) {
  run_here([]() -> task<void> {
    co_await on_all_places([]() -> task<void> {
      std::int64_t const n = places(), me = here();
      for (std::int64_t round = 0; round < 12; ++round) {
        EXPECT_EQ(co_await all_reduce(me + round), n * (n - 1) / 2 + n * round);
        EXPECT_EQ(co_await all_reduce(me, [](auto a, auto b) { return std::max(a, b); }), n - 1);
        auto const root = static_cast<place_id>(round % n);
        auto const at_root = co_await reduce(me * round, root);
        EXPECT_EQ(at_root.has_value(), here() == root);
        if (at_root) EXPECT_EQ(*at_root, round * n * (n - 1) / 2);
        EXPECT_EQ(co_await broadcast(me * 100 + round, root), root * 100 + round);
        std::array<std::int64_t, 8> longest{-1 - me, me, round, -round};
        longest.back() = me - 7;
        EXPECT_EQ(co_await broadcast(longest, root),
                  (std::array<std::int64_t, 8>{-1 - root, root, round, -round, 0, 0, 0, root - 7}));
        EXPECT_EQ(co_await prefix_sum(me + 1), me * (me + 1) / 2);
        // Not commutative: only place order gives the digits in order.
        struct line {
          char text[20];
          int length;
        };
        line const mine{{static_cast<char>('a' + me)}, 1};
        auto const joined = co_await all_reduce(mine, [](line const& a, line const& b) {
          line c = a;
          for (int i = 0; i < b.length; ++i) c.text[c.length++] = b.text[i];
          return c;
        });
        EXPECT_EQ(std::string(joined.text, static_cast<std::size_t>(joined.length)),
                  std::string("abcdefghijklmnopq").substr(0, static_cast<std::size_t>(n)));
        if (me % 3 == round % 3) co_await yield();
      }
    });
  });
}

TEST_P(collectives, barrier_lets_nobody_pass_before_all_have_come) {
  run_here([]() -> task<void> {
    auto const a = allocate<std::int64_t>();
    co_await put(a, 0);
    co_await on_all_places(
        [](global_ptr<std::int64_t> come) -> task<void> {
          for (std::int64_t round = 1; round <= 20; ++round) {
            for (std::uint64_t i = (here() * 7U + static_cast<std::uint64_t>(round)) % 5; i > 0; --i) co_await yield();
            co_await fetch_add(come, 1);
            co_await barrier();
            EXPECT_GE(co_await get(come), round * places());
            co_await barrier();
            EXPECT_LE(co_await get(come), (round + 1) * places());
          }
        },
        a);
    deallocate(a);
  });
}

std::vector<layout> of_1_to_17_places() {
  std::vector<layout> all;
  for (unsigned p = 1; p <= 17; ++p) {
    all.push_back({"smp", p, 1});
    all.push_back({"hostile", p, 1});
  }
  all.push_back({"smp", 5, 2, 4});
  all.push_back({"hostile", 9, 2, 4});
  return all;
}
INSTANTIATE_TEST_SUITE_P(layouts, collectives, testing::ValuesIn(of_1_to_17_places()), name_of);

}  // namespace
}  // namespace tess::test
