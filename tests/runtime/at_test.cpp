// at: results and exceptions return, tasks that a body leaves behind are awaited, and floods of messages all arrive.
// Method: every shape of callable to every place of every layout; floods from tasks and from handlers at once.
#include <array>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class ats : public on_layouts {};

struct big {
  std::array<std::uint64_t, 200> words;
};
struct own_exception : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class F>
task<std::string> caught_from(place_id p, F f) {
  try {
    co_await at(p, f);
  } catch (own_exception const& e) {
    co_return std::string("own ") + e.what();
  } catch (remote_error const& e) {
    co_return std::string("remote ") + e.what();
  } catch (place_failed const& e) {
    co_return std::string("failed ") + e.what();
  } catch (error const& e) {
    co_return std::string("error ") + e.what();
  } catch (...) {
    co_return "other";
  }
  co_return "nothing";
}

TEST_P(ats, give_the_result_of_a_function_or_coroutine) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i) {
      auto const p = static_cast<place_id>(i);
      EXPECT_EQ(co_await at(p, [] { return here(); }), p);
      EXPECT_EQ(co_await at(
                    p,
                    [](int a, double b) -> task<double> {
                      co_await yield();
                      co_return a + b + here();
                    },
                    1, 0.5),
                1.5 + p);
      co_await at(p, [] {});
      co_await at(p, []() -> task<void> { co_await yield(); });
      big b{};
      b.words[199] = 42;
      big const c = co_await at(
          p,
          [](big x) {
            x.words[0] = x.words[199] + here();
            return x;
          },
          b);
      EXPECT_EQ(c.words[0], 42U + p);
      // A coroutine's captures outlive its suspensions.
      std::uint64_t const captured = 99;
      EXPECT_EQ(co_await at(p,
                            [captured]() -> task<std::uint64_t> {
                              for (int k = 0; k < 5; ++k) co_await yield();
                              co_return captured;
                            }),
                99U);
    }
  });
}

TEST_P(ats, keep_the_type_of_an_exception_at_home_and_name_its_origin_elsewhere) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i) {
      auto const p = static_cast<place_id>(i);
      std::string const plain = co_await caught_from(p, [] { throw own_exception("x"); });
      std::string const coroutine = co_await caught_from(p, []() -> task<void> {
        co_await yield();
        throw own_exception("x");
      });
      if (p == here()) {
        EXPECT_EQ(plain, "own x");
        EXPECT_EQ(coroutine, "own x");
      } else {
        EXPECT_TRUE(plain.starts_with("remote place " + std::to_string(p) + ": ")) << plain;
        EXPECT_NE(plain.find("own_exception: x"), std::string::npos) << plain;
        EXPECT_EQ(plain, coroutine);
      }
      EXPECT_EQ(co_await caught_from(p, [] { throw error("w", "x", "y"); }), "error w: x; expected y");
      EXPECT_EQ(co_await caught_from(p, [] { throw place_failed(3); }), "failed place 3 failed");
    }
  });
}

TEST_P(ats, to_a_place_that_does_not_exist_throw_here) {
  run_here([]() -> task<void> {
    auto const p = static_cast<place_id>(places());
    EXPECT_TRUE((co_await caught_from(p, [] {})).starts_with("error "));
    EXPECT_THROW(at_async(p, [] {}), error);
    co_await at(0, [] {});
  });
}

TEST_P(ats, leave_tasks_to_the_finish_of_the_caller) {
  run_here([]() -> task<void> {
    auto const cell = allocate<std::int64_t>();
    for (int round = 0; round < 30; ++round) {
      co_await put(cell, 0);
      co_await finish([&]() -> task<void> {
        for (unsigned p = 0; p < places(); ++p) {
          co_await at(
              static_cast<place_id>(p),
              [](global_ptr<std::int64_t> c) {
                spawn(
                    [](global_ptr<std::int64_t> d) -> task<void> {
                      for (int i = 0; i < 20; ++i) co_await yield();
                      co_await fetch_add(d, 1);
                    },
                    c);
              },
              cell);
          co_await at(
              static_cast<place_id>(p),
              [](global_ptr<std::int64_t> c) -> task<void> {
                at_async(
                    static_cast<place_id>((here() + 1U) % places()),
                    [](global_ptr<std::int64_t> d) -> task<void> { co_await fetch_add(d, 10); }, c);
                co_return;
              },
              cell);
        }
      });
      EXPECT_EQ(co_await get(cell), 11 * places());
    }
    deallocate(cell);
  });
}

TEST_P(ats, refuse_places_that_do_not_exist_also_beyond_16_bits) {
  run_here([]() -> task<void> {
    for (std::int64_t const wrong : {std::int64_t{places()}, std::int64_t{65535}, std::int64_t{65536},
                                     std::int64_t{1} << 32, std::int64_t{-1}, std::int64_t{-65536}}) {
      EXPECT_THROW(co_await at(wrong, [] {}), error) << wrong;
      EXPECT_THROW(at_async(wrong, [] {}), error) << wrong;
    }
    unsigned const last = places() - 1U;
    EXPECT_EQ(co_await at(last, [] { return here(); }), last);
  });
}

TEST_P(ats, that_are_abandoned_run_and_are_awaited_by_the_finish) {
  run_here([]() -> task<void> {
    auto const cell = allocate<std::int64_t>();
    co_await put(cell, 0);
    for (int round = 0; round < 200; ++round)
      co_await finish([&] {
        for (unsigned p = 0; p < places(); ++p) {
          auto const plain = at(
              static_cast<place_id>(p),
              [](global_ptr<std::int64_t> c) {
                spawn([](global_ptr<std::int64_t> d) -> task<void> { co_await fetch_add(d, 1); }, c);
              },
              cell);
          plain.abandon();
          try {
            [[maybe_unused]] auto const thrown_over = at(
                static_cast<place_id>(p),
                [](global_ptr<std::int64_t> c) -> task<int> {
                  co_await fetch_add(c, 1);
                  throw own_exception("nobody hears this");
                },
                cell);
            throw 1;
          } catch (int) {
          }
        }
      });
    EXPECT_EQ(co_await get(cell), 200 * 2 * places());
    deallocate(cell);
  });
}

/// Counts down through handlers that send on to all places.
struct flood {
  global_ptr<std::int64_t> arrived;
  std::int32_t generation;
};
void send_on(flood f) {
  if (f.generation > 0)
    for (unsigned p = 0; p < places(); ++p) {
      flood next = f;
      --next.generation;
      at_async(static_cast<place_id>(p), [](flood g) { send_on(g); }, next);
    }
  at_async(f.arrived.place(), [](flood g) { place_atomic([&] { ++*g.arrived.local(); }); }, f);
}

TEST_P(ats, floods_from_tasks_and_handlers_of_all_places_to_all_arrive) {
  run_here([]() -> task<void> {
    auto const cell = allocate<std::int64_t>();
    *cell.local() = 0;
    constexpr int each = 3000;
    co_await on_all_places(
        [](global_ptr<std::int64_t> c) -> task<void> {
          for (int t = 0; t < 4; ++t)
            spawn(
                [](global_ptr<std::int64_t> d) -> task<void> {
                  for (int i = 0; i < each / 4; ++i) {
                    for (unsigned p = 0; p < places(); ++p)
                      at_async(
                          static_cast<place_id>(p),
                          [](global_ptr<std::int64_t> e, std::array<std::uint64_t, 6>) {
                            at_async(
                                e.place(), [](global_ptr<std::int64_t> x) { place_atomic([&] { ++*x.local(); }); }, e);
                          },
                          d, std::array<std::uint64_t, 6>{});
                    if (i % 100 == 0) co_await at(static_cast<place_id>((here() + 1U) % places()), [] {});
                  }
                },
                c);
          co_return;
        },
        cell);
    EXPECT_EQ(*cell.local(), std::int64_t{each} * places() * places());

    *cell.local() = 0;
    std::int64_t expected = 0, generation = 1;
    for (int g = 0; g <= 5; ++g) {
      expected += generation;
      generation *= places();
    }
    co_await finish([&] { send_on({cell, 5}); });
    EXPECT_EQ(*cell.local(), expected);
    deallocate(cell);
  });
}

// Many equal messages in a row are handled by one call.
TEST_P(ats, that_throw_within_a_row_of_equal_messages_keep_none_of_the_others_from_running) {
  run_here([]() -> task<void> {
    auto const ran = co_await place_local<std::uint64_t>::make();
    place_id const there = static_cast<place_id>(places() - 1);
    bool thrown = false;
    try {
      co_await finish([&] {
        for (std::uint64_t i = 0; i < 1000; ++i)
          at_async(
              there,
              [ran](std::uint64_t n) {
                place_atomic([&] { *ran += n; });
                if (n % 7 == 3) throw error("message", std::to_string(n), "no seventh");
              },
              i);
      });
    } catch (std::exception const&) {
      thrown = true;
    }
    EXPECT_TRUE(thrown);
    EXPECT_EQ(co_await at(there, [ran] { return *ran; }), 999U * 1000 / 2);
    co_await place_local<std::uint64_t>::release(ran);
  });
}

TEST_P(ats, by_thousands_of_tasks_at_once_all_return) {
  run_here([]() -> task<void> {
    auto const cell = allocate<std::int64_t>();
    *cell.local() = 0;
    co_await finish([&] {
      for (int t = 0; t < 3000; ++t)
        spawn(
            [](global_ptr<std::int64_t> c) -> task<void> {
              for (int i = 0; i < 3; ++i) {
                auto const n = co_await at(static_cast<place_id>((here() + 1U) % places()), []() -> task<int> {
                  co_await yield();
                  co_return 1;
                });
                place_atomic([&] { *c.local() += n; });
              }
            },
            cell);
    });
    EXPECT_EQ(*cell.local(), 9000);
    deallocate(cell);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, ats, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
