// words_and_blocks: words and blocks read and change what was requested, at every place, on every fabric.
// Method: all widths and edge values through get, put and the atomics; blocks of many sizes, with counters and notices.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class words : public on_layouts {};
class blocks : public on_layouts {};

template <std::size_t Bytes, class Piece>
struct value {
  std::array<Piece, Bytes / sizeof(Piece)> pieces;
  bool operator==(value const&) const = default;
};

template <class T>
task<void> put_and_get(place_id p) {
  auto const there = co_await at(p, [] { return allocate<T>(3); });
  std::array<T, 3> v;
  auto* const bytes = reinterpret_cast<unsigned char*>(v.data());
  for (std::size_t i = 0; i < sizeof v; ++i) bytes[i] = static_cast<unsigned char>(i * 11 + 1);
  for (int i = 0; i < 3; ++i) co_await put(there + i, v[static_cast<std::size_t>(2 - i)]);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(co_await get(there + i), v[static_cast<std::size_t>(2 - i)]) << sizeof(T);
  co_await at(p, [](global_ptr<T> g) { deallocate(g); }, there);
}

TEST_P(words, of_1_to_16_bytes_are_put_and_got_at_every_place) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i) {
      auto const p = static_cast<place_id>(i);
      co_await put_and_get<unsigned char>(p);
      co_await put_and_get<std::uint16_t>(p);
      co_await put_and_get<value<3, unsigned char>>(p);
      co_await put_and_get<std::uint32_t>(p);
      co_await put_and_get<value<6, std::uint16_t>>(p);
      co_await put_and_get<value<8, std::uint32_t>>(p);
      co_await put_and_get<std::uint64_t>(p);
      co_await put_and_get<value<12, std::uint32_t>>(p);
      co_await put_and_get<value<16, std::uint64_t>>(p);
      co_await put_and_get<value<15, unsigned char>>(p);
      co_await put_and_get<global_ptr<int>>(p);
    }
  });
}

template <class T>
task<void> all_atomics(place_id p) {
  using limits = std::numeric_limits<T>;
  using u = std::make_unsigned_t<T>;
  auto const w = co_await at(p, [] { return allocate<T>(); });
  for (T const old : {T{0}, T{1}, static_cast<T>(-1), limits::min(), limits::max()})
    for (T const a : {T{0}, T{1}, static_cast<T>(-1), limits::min(), limits::max()}) {
      auto const step = [&](auto operation, T expected) -> task<void> {
        co_await put(w, old);
        EXPECT_EQ(co_await operation(), old);
        EXPECT_EQ(co_await get(w), expected) << +old << " with " << +a;
      };
      co_await step([&] { return fetch_add(w, a); }, static_cast<T>(u(u(old) + u(a))));
      co_await step([&] { return fetch_sub(w, a); }, static_cast<T>(u(u(old) - u(a))));
      co_await step([&] { return fetch_and(w, a); }, static_cast<T>(old & a));
      co_await step([&] { return fetch_or(w, a); }, static_cast<T>(old | a));
      co_await step([&] { return fetch_xor(w, a); }, static_cast<T>(old ^ a));
      co_await step([&] { return fetch_min(w, a); }, std::min(old, a));
      co_await step([&] { return fetch_max(w, a); }, std::max(old, a));
      co_await step([&] { return exchange(w, a); }, a);
      co_await step([&] { return compare_swap(w, a, T{7}); }, old == a ? T{7} : old);
    }
  co_await at(p, [](global_ptr<T> g) { deallocate(g); }, w);
}

TEST_P(words, change_by_every_atomic_with_wrap_and_sign) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i) {
      auto const p = static_cast<place_id>(i);
      co_await all_atomics<std::int32_t>(p);
      co_await all_atomics<std::uint32_t>(p);
      co_await all_atomics<std::int64_t>(p);
      co_await all_atomics<std::uint64_t>(p);
    }
  });
}

TEST_P(words, abandoned_between_issue_and_await_are_freed) {
  run_here([]() -> task<void> {
    auto const p = static_cast<place_id>(places() - 1);
    auto const w = co_await at(p, [] { return allocate<std::int64_t>(); });
    co_await put(w, 0);
    for (int i = 0; i < 3000; ++i) {
      try {
        auto const call = fetch_add(w, 1);
        call.abandon();
        if (i % 2 == 0) throw i;
        auto const another = get(w);
        another.abandon();
      } catch (int) {
      }
      if (i % 7 == 0) co_await yield();
      if (i % 50 == 0) static_cast<void>(co_await get(w));
    }
    co_await at(p, [](auto g) { deallocate(g); }, w);
  });
}

TEST_P(words, many_at_once_take_effect_once_each) {
  run_here([]() -> task<void> {
    auto const w = co_await at(static_cast<place_id>(places() - 1), [] { return allocate<std::int64_t>(); });
    co_await put(w, 0);
    co_await finish([&] {
      for (int t = 0; t < 200; ++t)
        spawn(
            [](global_ptr<std::int64_t> g) -> task<void> {
              for (int i = 0; i < 20; ++i) {
                auto a = fetch_add(g, 1);
                auto b = fetch_add(g, 2);
                auto c = fetch_add(g, 3);
                co_await c;
                co_await a;
                co_await b;
              }
            },
            w);
    });
    EXPECT_EQ(co_await get(w), 200 * 20 * 6);
    co_await at(w.place(), [](auto g) { deallocate(g); }, w);
  });
}

TEST_P(blocks, of_any_size_go_there_and_back_and_from_place_to_place) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i)
      for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{70000}}) {
        auto const p = static_cast<place_id>(i);
        auto const q = static_cast<place_id>((i + 1) % places());
        auto const a = co_await at(p, [](std::size_t c) { return allocate<std::uint32_t>(c + 2); }, n);
        auto const b = co_await at(q, [](std::size_t c) { return allocate<std::uint32_t>(c + 2); }, n);
        std::vector<std::uint32_t> source(n), back(n);
        std::iota(source.begin(), source.end(), 5U);
        co_await put(a, 1111);
        co_await put(a + static_cast<std::ptrdiff_t>(n + 1), 2222);
        co_await put(std::span<std::uint32_t const>(source), a + 1);
        co_await copy(a + 1, b + 1, n);
        co_await get(b + 1, std::span(back));
        EXPECT_EQ(back, source);
        EXPECT_EQ(co_await get(a), 1111U);
        EXPECT_EQ(co_await get(a + static_cast<std::ptrdiff_t>(n + 1)), 2222U);
        co_await at(p, [](auto g) { deallocate(g); }, a);
        co_await at(q, [](auto g) { deallocate(g); }, b);
      }
  });
}

TEST(word, awaited_twice_is_an_assertion_of_checked_builds) {
#if defined(TESS_CHECKED) && TESS_CHECKED
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (char const* const fabric : {"smp", "hostile"})
    EXPECT_DEATH(run_job({fabric, 1, 1},
                         []() -> task<void> {
                           auto const word = allocate<std::int64_t>();
                           auto read = get(word);
                           co_await read;
                           co_await read;
                         }),
                 "assertion failed: .*awaited_");
#else
  GTEST_SKIP() << "needs a checked build";
#endif
}

TEST_P(blocks, notify_a_counter_at_the_target_when_their_bytes_are_there) {
  run_here([]() -> task<void> {
    struct mailbox {
      counter full;
      std::uint64_t values[64];
    };
    auto const h = co_await place_local<mailbox>::make();
    co_await finish([&] {
      for (unsigned p = 0; p < places(); ++p)
        at_async(
            static_cast<place_id>(p),
            [](place_local<mailbox> boxes) -> task<void> {
              auto const next = static_cast<place_id>((here() + 1U) % places());
              std::array<std::uint64_t, 64> mine;
              for (std::uint64_t round = 1; round < 50; ++round) {
                mine.fill(round * 1000 + here());
                boxes->full.expect(1);
                auto const box = boxes.of(next).bits();
                auto const values = global_ptr<std::uint64_t>::from_bits(box + offsetof(mailbox, values));
                counter sent;
                put(std::span<std::uint64_t const>(mine), values, sent, global_ptr<counter>::from_bits(box));
                co_await boxes->full;
                auto const before = (here() + places() - 1U) % places();
                for (std::uint64_t const v : boxes->values) EXPECT_EQ(v, round * 1000 + before);
                co_await sent;
                co_await barrier();
              }
            },
            h);
    });
    co_await place_local<mailbox>::release(h);
  });
}

TEST_P(blocks, as_bare_notices_count) {
  run_here([]() -> task<void> {
    counter done;
    done.expect(100 * places());
    auto const name = done.address();
    co_await on_all_places(
        [](global_ptr<counter> c) {
          for (int i = 0; i < 100; ++i) notify(c);
        },
        name);
    co_await done;
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, words, testing::ValuesIn(all_layouts()), name_of);
INSTANTIATE_TEST_SUITE_P(layouts, blocks, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
