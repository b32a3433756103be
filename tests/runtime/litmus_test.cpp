// litmus: the classic programs of weak memory show only the outcomes that contract 1 of the memory model allows.
// Method: thousands of rounds of each program, two places at once; a forbidden outcome is a failure, others are not.
#include <array>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class litmus : public on_layouts {
 protected:
  static constexpr int rounds = 1500;
};

using word = global_ptr<std::uint64_t>;

struct shared {
  word x, y;  ///< at different places
};
struct seen {
  std::uint64_t a = 0, b = 0;
};

/// Runs `left` at place 0 and `right` at the last place, both at once, on zeroed words.
template <class Left, class Right>
task<std::array<seen, 2>> race(shared s, Left left, Right right) {
  auto const last = static_cast<place_id>(places() - 1);
  co_await put(s.x, 0);
  co_await put(s.y, 0);
  std::array<seen, 2> out;
  co_await finish([&] {
    spawn([](shared w, Left f, seen& r) -> task<void> { r = co_await f(w); }(s, left, out[0]));
    spawn(
        [](shared w, Right f, place_id p, seen& r) -> task<void> { r = co_await at(p, f, w); }(s, right, last, out[1]));
  });
  co_return out;
}
template <class Check, class Left, class Right>
auto program(int count, Left left, Right right, Check check) {
  return [=]() -> task<void> {
    auto const last = static_cast<place_id>(places() - 1);
    shared const s{allocate<std::uint64_t>(), co_await at(last, [] { return allocate<std::uint64_t>(); })};
    for (int i = 0; i < count; ++i) {
      auto const r = co_await race(s, left, right);
      check(r[0], r[1]);
    }
    deallocate(s.x);
    co_await at(last, [](word w) { deallocate(w); }, s.y);
  };
}

TEST_P(litmus, message_passing_never_sees_the_flag_without_the_message) {
  run_here(program(
      rounds,
      [](shared s) -> task<seen> {
        co_await put(s.x, 1);
        co_await put(s.y, 1);
        co_return seen{};
      },
      [](shared s) -> task<seen> {
        seen r;
        r.a = co_await get(s.y);
        r.b = co_await get(s.x);
        co_return r;
      },
      [](seen, seen r) { EXPECT_FALSE(r.a == 1 && r.b == 0); }));
}

TEST_P(litmus, a_release_of_the_flag_and_an_acquire_pass_a_relaxed_message) {
  run_here(program(
      rounds,
      [](shared s) -> task<seen> {
        co_await put(s.x, 1, std::memory_order_relaxed);
        co_await put(s.y, 1, std::memory_order_release);
        co_return seen{};
      },
      [](shared s) -> task<seen> {
        seen r;
        r.a = co_await get(s.y, std::memory_order_acquire);
        r.b = co_await get(s.x, std::memory_order_relaxed);
        co_return r;
      },
      [](seen, seen r) { EXPECT_FALSE(r.a == 1 && r.b == 0); }));
}

TEST_P(litmus, atomics_of_release_and_acquire_pass_a_relaxed_message) {
  run_here(program(
      rounds,
      [](shared s) -> task<seen> {
        co_await put(s.x, 1, std::memory_order_relaxed);
        co_return seen{co_await fetch_add(s.y, 1, std::memory_order_release), 0};
      },
      [](shared s) -> task<seen> {
        seen r;
        r.a = co_await fetch_add(s.y, 1, std::memory_order_acquire);
        r.b = co_await get(s.x, std::memory_order_relaxed);
        co_return r;
      },
      [](seen l, seen r) {
        EXPECT_EQ(l.a + r.a, 1U) << "one of the two is first";
        EXPECT_FALSE(r.a == 1 && r.b == 0);
      }));
}

TEST_P(litmus, relaxed_operations_on_one_word_never_go_back_and_lose_nothing) {
  run_here(program(
      rounds,
      [](shared s) -> task<seen> {
        co_await put(s.x, 1, std::memory_order_relaxed);
        std::uint64_t const own = co_await get(s.x, std::memory_order_relaxed);
        co_await put(s.x, 2, std::memory_order_release);
        for (int i = 0; i < 10; ++i) co_await fetch_add(s.y, 1, std::memory_order_relaxed);
        co_return seen{own, co_await get(s.y)};
      },
      [](shared s) -> task<seen> {
        seen r;
        r.a = co_await get(s.x, std::memory_order_relaxed);
        std::uint64_t const later = co_await get(s.x, std::memory_order_relaxed);
        EXPECT_LE(r.a, later);
        for (int i = 0; i < 10; ++i) co_await fetch_add(s.y, 1, std::memory_order_relaxed);
        r.b = co_await get(s.y);
        co_return r;
      },
      [](seen l, seen r) {
        EXPECT_EQ(l.a, 1U);
        EXPECT_EQ(std::max(l.b, r.b), 20U);
      }));
}

TEST_P(litmus, store_buffering_never_sees_neither_store) {
  run_here(program(
      rounds,
      [](shared s) -> task<seen> {
        co_await put(s.x, 1);
        co_return seen{co_await get(s.y), 0};
      },
      [](shared s) -> task<seen> {
        co_await put(s.y, 1);
        co_return seen{co_await get(s.x), 0};
      },
      [](seen l, seen r) { EXPECT_FALSE(l.a == 0 && r.a == 0); }));
}

TEST_P(litmus, load_buffering_never_sees_both_later_stores) {
  run_here(program(
      rounds,
      [](shared s) -> task<seen> {
        seen const r{co_await get(s.x), 0};
        co_await put(s.y, 1);
        co_return r;
      },
      [](shared s) -> task<seen> {
        seen const r{co_await get(s.y), 0};
        co_await put(s.x, 1);
        co_return r;
      },
      [](seen l, seen r) { EXPECT_FALSE(l.a == 1 && r.a == 1); }));
}

TEST_P(litmus, coherent_reads_of_one_word_never_go_back) {
  run_here(program(
      rounds,
      [](shared s) -> task<seen> {
        co_await put(s.x, 1);
        co_await put(s.x, 2);
        co_return seen{};
      },
      [](shared s) -> task<seen> {
        seen r;
        r.a = co_await get(s.x);
        r.b = co_await get(s.x);
        co_return r;
      },
      [](seen, seen r) { EXPECT_LE(r.a, r.b); }));
}

TEST_P(litmus, a_put_is_seen_by_an_at_that_follows_it) {
  run_here([]() -> task<void> {
    auto const last = static_cast<place_id>(places() - 1);
    auto const y = co_await at(last, [] { return allocate<std::uint64_t>(); });
    for (std::uint64_t i = 1; i <= rounds; ++i) {
      co_await put(y, i);
      EXPECT_EQ(co_await at(last, [](word w) { return *w.local(); }, y), i);
      EXPECT_EQ(co_await at(last, [](word w) -> task<std::uint64_t> { co_return co_await get(w); }, y), i);
    }
    co_await at(last, [](word w) { deallocate(w); }, y);
  });
}

TEST_P(litmus, a_block_put_then_a_notice_shows_the_whole_block) {
  run_here([]() -> task<void> {
    struct mail {
      counter arrived;
      std::uint64_t block[40];
    };
    auto const box = co_await place_local<mail>::make();
    auto const last = static_cast<place_id>(places() - 1);
    auto const name = box.of(last).bits();
    std::array<std::uint64_t, 40> mine;
    for (std::uint64_t i = 1; i <= rounds / 3; ++i) {
      mine.fill(i);
      auto reader = at(
          last,
          [](place_local<mail> b, std::uint64_t expected) -> task<bool> {
            b->arrived.expect(1);
            co_await b->arrived;
            for (std::uint64_t const v : b->block)
              if (v != expected) co_return false;
            co_return true;
          },
          box, i);
      counter sent;
      auto const block = word::from_bits(name + offsetof(mail, block));
      if (i % 2 == 0) {
        put(std::span<std::uint64_t const>(mine), block, sent, global_ptr<counter>::from_bits(name));
      } else {
        put(std::span<std::uint64_t const>(mine), block, sent);
        co_await sent;
        notify(global_ptr<counter>::from_bits(name));
      }
      EXPECT_TRUE(co_await reader) << "round " << i;
      co_await sent;
    }
    co_await place_local<mail>::release(box);
  });
}

INSTANTIATE_TEST_SUITE_P(
    layouts, litmus,
    testing::ValuesIn(unless_launched(
        {{"smp", 2, 1, 2}, {"checked", 2, 1, 2}, {"smp", 2, 2, 4}, {"hostile", 2, 1, 2}, {"hostile", 2, 2, 3}})),
    name_of);

}  // namespace
}  // namespace tess::test
