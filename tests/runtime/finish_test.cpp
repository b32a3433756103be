// finish: it ends when every task under it has ended, on all places, and brings one exception if some were thrown.
// Method: small cases by hand; then random trees of tasks over places, whose sum of effects must be there at the end.
#include <cstring>

#include "runtime/messages/exception_wire.hpp"
#include "runtime/messages/message.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class finishes : public on_layouts {};

struct bag {
  std::int64_t sum = 0;
};

TEST_P(finishes, waits_for_tasks_that_spawn_tasks) {
  run_here([]() -> task<void> {
    auto const cell = allocate<std::int64_t>();
    co_await put(cell, 0);
    co_await finish([cell] {
      for (int i = 0; i < 50; ++i)
        spawn(
            [](global_ptr<std::int64_t> c) -> task<void> {
              co_await yield();
              for (int k = 0; k < 3; ++k)
                spawn([](global_ptr<std::int64_t> d) -> task<void> { co_await fetch_add(d, 1); }, c);
              co_await fetch_add(c, 100);
            },
            cell);
    });
    EXPECT_EQ(co_await get(cell), 50 * 100 + 150);
    deallocate(cell);
  });
}

TEST_P(finishes, nest_and_keep_their_tasks_apart) {
  run_here([]() -> task<void> {
    auto const cell = allocate<std::int64_t>(2);
    co_await put(cell, 0);
    co_await put(cell + 1, 0);
    co_await finish([cell]() -> task<void> {
      for (int i = 0; i < 8; ++i)
        spawn(
            [](global_ptr<std::int64_t> c) -> task<void> {
              for (int k = 0; k < 5; ++k) co_await yield();
              co_await fetch_add(c, 1);
            },
            cell);
      co_await finish([cell] {
        for (unsigned p = 0; p < places(); ++p)
          at_async(
              static_cast<place_id>(p), [](global_ptr<std::int64_t> c) -> task<void> { co_await fetch_add(c + 1, 1); },
              cell);
      });
      EXPECT_EQ(co_await get(cell + 1), places());
    });
    EXPECT_EQ(co_await get(cell), 8);
    deallocate(cell);
  });
}

TEST_P(finishes, of_nothing_ends) {
  run_here([]() -> task<void> {
    for (int i = 0; i < 100; ++i) co_await finish([] {});
    for (int i = 0; i < 100; ++i) co_await finish([]() -> task<void> { co_return; });
  });
}

struct own_exception : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST_P(finishes, bring_the_exception_of_a_body_or_a_task_and_only_one) {
  run_here([]() -> task<void> {
    int caught = 0;
    try {
      co_await finish([] { throw own_exception("body"); });
    } catch (own_exception const&) {
      ++caught;
    }
    try {
      co_await finish([]() -> task<void> {
        co_await yield();
        throw own_exception("coroutine body");
      });
    } catch (own_exception const&) {
      ++caught;
    }
    try {
      co_await finish([] {
        for (int i = 0; i < 5; ++i)
          spawn([]() -> task<void> {
            co_await yield();
            throw own_exception("task");
          });
      });
    } catch (own_exception const&) {
      ++caught;
    }
    EXPECT_EQ(caught, 3);
    co_await finish([] {});
  });
}

TEST_P(finishes, waits_for_others_after_an_exception) {
  run_here([]() -> task<void> {
    auto const cell = allocate<std::int64_t>();
    co_await put(cell, 0);
    bool caught = false;
    try {
      co_await finish([cell] {
        for (unsigned p = 0; p < places(); ++p) {
          at_async(
              static_cast<place_id>(p),
              [](global_ptr<std::int64_t> c) -> task<void> {
                for (int i = 0; i < 10; ++i) co_await yield();
                co_await fetch_add(c, 1);
              },
              cell);
          at_async(static_cast<place_id>(p), [] { throw own_exception("early"); });
        }
      });
    } catch (std::runtime_error const&) {
      caught = true;
    }
    EXPECT_TRUE(caught);
    EXPECT_EQ(co_await get(cell), places());
    deallocate(cell);
  });
}

/// A random tree: every task adds its weight to the counter of a random place, some throw afterwards.
struct tree {
  global_ptr<std::int64_t> sum;     ///< effects, at place 0
  global_ptr<std::int64_t> thrown;  ///< exceptions, at place 0
  std::uint64_t seed;
  std::int32_t depth;
  std::int32_t exceptions;  ///< one in this many tasks throws; 0: none
};

task<void> grow(tree t) {
  random r(t.seed);
  if (r.below(3) == 0) co_await yield();
  if (t.depth > 0) {
    std::uint64_t const children = r.below(4);
    for (std::uint64_t i = 0; i < children; ++i) {
      tree child = t;
      child.depth -= 1;
      child.seed = r.next();
      auto const where = static_cast<place_id>(r.below(places()));
      switch (r.below(6)) {
        case 0:
          spawn(grow(child));
          break;
        case 1:
          at_async(where, [](tree c) { spawn(grow(c)); }, child);
          break;
        case 2:
          co_await at(where, [](tree c) { spawn(grow(c)); }, child);
          break;
        case 3:
          co_await at(
              where,
              [](tree c) -> task<void> {
                spawn(grow(c));
                co_await yield();
              },
              child);
          break;
        case 4: {
          auto const abandoned = at(
              where,
              [](tree c) -> task<void> {
                spawn(grow(c));
                co_return;
              },
              child);
          abandoned.abandon();
          break;
        }
        default:
          at_async(where, [](tree c) -> task<void> { return grow(c); }, child);
      }
    }
  }
  co_await fetch_add(t.sum, std::int64_t{1} + t.depth);
  if (t.exceptions != 0 && r.below(static_cast<std::uint64_t>(t.exceptions)) == 0) {
    co_await fetch_add(t.thrown, 1);
    throw own_exception("grown");
  }
}

/// The same choices without a runtime: what the tree must add up to.
std::int64_t expected_sum(std::uint64_t s, std::int32_t depth) {
  random r(s);
  static_cast<void>(r.below(3));
  std::int64_t sum = 0;
  if (depth > 0) {
    std::uint64_t const children = r.below(4);
    for (std::uint64_t i = 0; i < children; ++i) {
      std::uint64_t const child = r.next();
      r.next();
      r.next();
      sum += expected_sum(child, depth - 1);
    }
  }
  return sum + 1 + depth;
}

TEST_P(finishes, of_random_trees_see_all_effects_and_one_exception) {
  std::uint64_t const first = seed();
  run_here([first]() -> task<void> {
    auto const cells = allocate<std::int64_t>(2);
    for (std::uint64_t i = 0; i < 250; ++i) {
      std::uint64_t const s = first * 1000003 + i;
      auto const exceptions = static_cast<std::int32_t>(i % 4 == 3 ? 5 : 0);
      co_await put(cells, 0);
      co_await put(cells + 1, 0);
      bool caught = false;
      try {
        co_await finish([&]() -> task<void> { return grow({cells, cells + 1, s, 5, exceptions}); });
      } catch (std::runtime_error const& e) {
        caught = true;
        EXPECT_NE(std::string(e.what()).find("grown"), std::string::npos) << e.what();
      }
      EXPECT_EQ(co_await get(cells), expected_sum(s, 5)) << "tree " << s;
      EXPECT_EQ(caught, co_await get(cells + 1) != 0) << "tree " << s;
    }
    deallocate(cells);
  });
}

TEST_P(finishes, of_two_tasks_that_send_to_their_own_place_stay_apart) {
  // Handlers of one finish that send on while another finish sends: their counts must not mix.
  run_here([]() -> task<void> {
    auto const cell = allocate<std::int64_t>();
    co_await put(cell, 0);
    auto const one = [cell]() -> task<void> {
      for (int i = 0; i < 30; ++i)
        co_await finish([cell]() -> task<void> {
          for (int k = 0; k < 5; ++k) {
            at_async(
                here(),
                [](global_ptr<std::int64_t> c) {
                  at_async(here(), [](global_ptr<std::int64_t> d) -> task<void> { co_await fetch_add(d, 1); }, c);
                },
                cell);
            co_await yield();
          }
        });
    };
    co_await finish([&] {
      for (int t = 0; t < 6; ++t) spawn(one());
    });
    EXPECT_EQ(co_await get(cell), 6 * 30 * 5);
    deallocate(cell);
  });
}

TEST_P(finishes, of_two_tasks_that_send_to_another_place_stay_apart) {
  run_here([]() -> task<void> {
    auto const last = static_cast<place_id>(places() - 1);
    auto const cells = co_await at(last, [] { return allocate<std::int64_t>(4); });
    for (int t = 0; t < 4; ++t) co_await put(cells + t, 0);
    co_await finish([&] {
      for (int t = 0; t < 4; ++t)
        spawn(
            [](global_ptr<std::int64_t> cell, place_id target) -> task<void> {
              for (int i = 1; i <= 50; ++i) {
                co_await finish([&] {
                  at_async(
                      target,
                      [](global_ptr<std::int64_t> c) -> task<void> {
                        for (int k = 0; k < 3; ++k) co_await yield();
                        co_await fetch_add(c, 1);
                      },
                      cell);
                });
                EXPECT_EQ(co_await get(cell), i);
              }
            },
            cells + t, last);
    });
    co_await at(last, [](global_ptr<std::int64_t> c) { deallocate(c); }, cells);
  });
}

/// Small tasks before, so that the worker keeps its newest ones to itself when it spawns the long ones.
TEST(finish_of_several_workers, shares_long_tasks_after_small_ones) {
  run_job({"smp", 1, 2, 2}, []() -> task<void> {
    auto const begin = std::chrono::steady_clock::now();
    std::atomic<int> elsewhere{0};
    auto const me = detail::self->index;
    while (elsewhere == 0 && seconds_since(begin) < 20) {
      co_await finish([] {
        for (int i = 0; i < 20000; ++i) spawn([] {});
      });
      co_await finish([&] {
        for (int i = 0; i < 6; ++i)
          spawn([&] {
            auto const since = std::chrono::steady_clock::now();
            while (seconds_since(since) < 0.002) {
            }
            if (detail::self->index != me) ++elsewhere;
          });
      });
    }
    EXPECT_GT(elsewhere, 0);
  });
}

/// Trees whose upper part is stolen: scopes of both kinds, and futures awaited on another worker than their task's.
task<long> count_by_finish(int depth) {
  if (depth == 0) co_return 1;
  long a = 0;
  long b = 0;
  co_await finish([&] {
    spawn([depth, &a]() -> task<void> { a = co_await count_by_finish(depth - 1); });
    spawn([depth, &b]() -> task<void> { b = co_await count_by_finish(depth - 1); });
  });
  co_return a + b;
}
task<long> count_by_async(int depth) {
  if (depth == 0) co_return 1;
  auto const a = async(count_by_async(depth - 1));
  auto const b = async(count_by_async(depth - 1));
  co_return co_await a + co_await b;
}
TEST(finish_of_several_workers, counts_trees_of_small_tasks) {
  for (unsigned const workers : {1U, 2U, 4U})
    run_job({"smp", 1, workers, workers}, []() -> task<void> {
      for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(co_await count_by_finish(13), 1 << 13);
        EXPECT_EQ(co_await count_by_async(13), 1 << 13);
      }
    });
}

TEST_P(finishes, do_not_wait_for_a_sleep_when_a_handler_ends_last) {
  // The last task of a finish at another place may be a handler that a handler of that place sent to it.
  run_here([]() -> task<void> {
    auto const begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) {
      // An idle worker flushes twice a round: the last handler runs in either.
      co_await finish([] {
        at_async(static_cast<place_id>(places() - 1),
                 [] { at_async(here(), [] { at_async(here(), [] { at_async(here(), [] {}); }); }); });
      });
      co_await finish([] {
        at_async(static_cast<place_id>(places() - 1), [] { at_async(here(), [] { at_async(here(), [] {}); }); });
      });
    }
    EXPECT_LT(seconds_since(begin), 0.9);
  });
}

/// A finish report made by hand: no differences, one exception.
std::vector<std::byte> report(std::uint64_t key, std::uint64_t number, char const* text) {
  struct {
    std::uint64_t key, number;
    std::uint32_t differences, exceptions;
    std::uint64_t settled;
  } const fields{key, number, 0, 1, 0};
  auto const exception = detail::encode_exception(std::make_exception_ptr(error(text)), 1);
  // The handler is known by the size of its fields.
  std::uint16_t index = 0;
  while (!detail::__start_tess_handlers[index].variable || detail::__start_tess_handlers[index].bytes != sizeof fields)
    ++index;
  std::size_t const payload = sizeof fields + exception.size();
  detail::record_header const h{{index, 0}, static_cast<std::uint32_t>(payload)};
  std::vector<std::byte> bytes(sizeof h + detail::padded(payload));
  std::memcpy(bytes.data(), &h, sizeof h);
  std::memcpy(bytes.data() + sizeof h, &fields, sizeof fields);
  std::memcpy(bytes.data() + sizeof h + sizeof fields, exception.data(), exception.size());
  return bytes;
}

TEST(finish, takes_the_reports_of_a_place_in_the_order_of_their_numbers) {
  run_job({"smp", 2, 1}, []() -> task<void> {
    std::string text;
    try {
      co_await finish([] {
        std::uint64_t const key = detail::self->current->scope->key();
        detail::deliver_records(1, report(key, 3, "third"), nullptr);
        detail::deliver_records(1, report(key, 2, "second"), nullptr);
        detail::deliver_records(1, report(key, 1, "first"), nullptr);
      });
    } catch (error const& e) {
      text = e.what();
    }
    EXPECT_EQ(text, "first");
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, finishes, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
