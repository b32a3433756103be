// sync_var_test: variables are full and empty as documented, serve waiters in order, and lose no wake-up.
// Method: orders stepped by hand; crowds of waiting tasks; tokens passed between all places and workers, under
// ThreadSanitizer too.
#include "tess/sync_var.hpp"

#include <vector>

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"
#include "runtime/waiters.hpp"

namespace tess::test {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TESS_TEST_SANITIZED 1
#endif
#endif

class sync_vars : public on_layouts {};

/// Long enough that what was spawned has parked, with several workers too.
task<void> settle() {
  for (int i = 0; i < 300; ++i) co_await yield();
}

TEST_P(sync_vars, do_what_the_table_says_without_waiting) {
  run_here([]() -> task<void> {
    sync_var<int> v;
    EXPECT_EQ(v.try_read_ff(), std::nullopt);
    EXPECT_EQ(v.try_read_fe(), std::nullopt);
    EXPECT_TRUE(v.try_write_ef(1));
    EXPECT_FALSE(v.try_write_ef(2));
    EXPECT_EQ(v.try_read_ff(), 1);
    EXPECT_EQ(co_await v.read_ff(), 1);
    v.write_xf(3);
    EXPECT_EQ(co_await v.read_fe(), 3);
    EXPECT_EQ(v.try_read_ff(), std::nullopt);
    v.write_xf(4);
    EXPECT_EQ(v.try_read_fe(), 4);
    co_await v.write_ef(5);
    EXPECT_EQ(v.try_read_fe(), 5);
    sync_var<global_ptr<int>> p(global_ptr<int>(0, 64));
    EXPECT_EQ(co_await p.read_ff(), (global_ptr<int>(0, 64)));
  });
}

TEST_P(sync_vars, of_another_place_do_the_same) {
  run_here([]() -> task<void> {
    auto const all = co_await place_local<sync_var<std::uint64_t>>::make();
    for (unsigned p = 0; p < places(); ++p) {
      auto const v = all.of(static_cast<place_id>(p));
      EXPECT_EQ(co_await try_read_ff(v), std::nullopt);
      EXPECT_EQ(co_await try_read_fe(v), std::nullopt);
      EXPECT_TRUE(co_await try_write_ef(v, 1));
      EXPECT_FALSE(co_await try_write_ef(v, 2));
      EXPECT_EQ(co_await try_read_ff(v), 1U);
      EXPECT_EQ(co_await read_ff(v), 1U);
      co_await write_xf(v, 3);
      EXPECT_EQ(co_await read_fe(v), 3U);
      co_await write_ef(v, 4);
      EXPECT_EQ(co_await try_read_fe(v), 4U);
      auto waits = read_fe(v);
      co_await write_ef(v, 5);
      EXPECT_EQ(co_await waits, 5U);
    }
    EXPECT_THROW(static_cast<void>(read_ff(global_ptr<sync_var<int>>())), error);
    EXPECT_THROW(static_cast<void>(read_ff(global_ptr<sync_var<int>>(places(), 64))), error);
    co_await place_local<sync_var<std::uint64_t>>::release(all);
  });
}

/// Readers of both sorts, in a known line; each writer lets go just those whose turn it is.
TEST(sync_var, serves_its_line_in_order) {
  for (layout const l : {layout{"smp", 1, 1}, layout{"hostile", 2, 1, 2}})
    run_job(l, []() -> task<void> {
      sync_var<int> v;
      std::string seen;
      co_await finish([&]() -> task<void> {
        for (char const c : std::string("ffefeef")) {
          spawn([](sync_var<int>& s, char how, std::string& out) -> task<void> {
            int const got = how == 'f' ? co_await s.read_ff() : co_await s.read_fe();
            out += how + std::to_string(got);
          }(v, c, seen));
          co_await settle();
        }
        char const* const expected[] = {"f1f1e1", "f2e2", "e3", "f4"};
        for (int i = 0; i < 4; ++i) {
          seen.clear();
          co_await v.write_ef(i + 1);
          co_await settle();
          EXPECT_EQ(seen, expected[i]);
        }
        seen.clear();
        for (int i = 5; i < 8; ++i) {
          spawn([](sync_var<int>& s, int what, std::string& out) -> task<void> {
            co_await s.write_ef(what);
            out += 'w' + std::to_string(what);
          }(v, i, seen));
          co_await settle();
        }
        EXPECT_EQ(seen, "");
        for (int i = 4; i < 8; ++i) EXPECT_EQ(v.try_read_fe(), i);
        EXPECT_EQ(v.try_read_fe(), std::nullopt);
      });
      EXPECT_EQ(seen, "w5w6w7");
    });
}

TEST_P(sync_vars, let_a_hundred_thousand_readers_go_in_order) {
  run_here([]() -> task<void> {
    constexpr std::uint32_t readers = 100'000;
    sync_var<int> v;
    std::atomic<std::uint32_t> begun{0}, in_order{0}, ended{0};
    co_await finish([&]() -> task<void> {
      for (std::uint32_t i = 0; i < readers; ++i)
        spawn([](sync_var<int>& s, auto& b, auto& o, auto& e) -> task<void> {
          std::uint32_t const turn = b.fetch_add(1);
          EXPECT_EQ(co_await s.read_ff(), 7);
          o += e.fetch_add(1) == turn;
        }(v, begun, in_order, ended));
      while (begun.load() < readers) co_await yield();
      co_await until_waiting(v, readers);
      EXPECT_EQ(ended.load(), 0U);
      v.write_xf(7);
    });
    EXPECT_EQ(ended.load(), readers);
    // Each worker resumes its own in their order.
    if (workers() == 1) EXPECT_EQ(in_order.load(), readers);
  });
}

TEST_P(sync_vars, keep_many_readers_of_other_places) {
  run_here([]() -> task<void> {
    sync_var<int> v;
    std::uint64_t const sum = co_await [](sync_var<int>& s) -> task<std::uint64_t> {
      auto const total = co_await place_local<std::atomic<std::uint64_t>>::make();
      co_await finish([&]() -> task<void> {
        for (unsigned p = 0; p < places(); ++p)
          at_async(
              static_cast<place_id>(p),
              [](global_ptr<sync_var<int>> g, place_local<std::atomic<std::uint64_t>> t) {
                for (int i = 0; i < 500; ++i)
                  spawn([](global_ptr<sync_var<int>> x, std::atomic<std::uint64_t>& out) -> task<void> {
                    out += static_cast<std::uint64_t>(co_await read_ff(x));
                  }(g, *t));
              },
              s.address(), total);
        co_await until_waiting(s, places() * 500U);
        s.write_xf(3);
      });
      std::uint64_t all = 0;
      for (unsigned p = 0; p < places(); ++p)
        all += co_await at(
            static_cast<place_id>(p), [](place_local<std::atomic<std::uint64_t>> t) { return t->load(); }, total);
      co_await place_local<std::atomic<std::uint64_t>>::release(total);
      co_return all;
    }(v);
    EXPECT_EQ(sum, std::uint64_t{3} * 500 * places());
  });
}

/// Producers and consumers everywhere: a value that is lost stops the job, one that is doubled changes the sum.
TEST_P(sync_vars, lose_no_value_between_producers_and_consumers) {
  run_here([]() -> task<void> {
    constexpr std::uint64_t rounds = 300;
    auto const v = co_await place_local<sync_var<std::uint64_t>>::make();
    auto const got = co_await place_local<std::atomic<std::uint64_t>>::make();
    co_await on_all_places(
        [](place_local<sync_var<std::uint64_t>> s, place_local<std::atomic<std::uint64_t>> sum) {
          for (unsigned t = 0; t < 4; ++t) {
            spawn([](place_local<sync_var<std::uint64_t>> x, unsigned who) -> task<void> {
              for (std::uint64_t i = 1; i <= rounds; ++i) {
                if (who % 2 == 0) {
                  co_await x->write_ef(i);
                } else {
                  co_await write_ef(x.of(0), i);
                }
              }
            }(s, t));
            spawn([](place_local<sync_var<std::uint64_t>> x, unsigned who,
                     std::atomic<std::uint64_t>& out) -> task<void> {
              for (std::uint64_t i = 1; i <= rounds; ++i)
                out += who % 2 == 0 ? co_await x->read_fe() : co_await read_fe(x.of(0));
            }(s, t, *sum));
          }
        },
        v, got);
    std::uint64_t all = 0;
    for (unsigned p = 0; p < places(); ++p)
      all += co_await at(
          static_cast<place_id>(p), [](place_local<std::atomic<std::uint64_t>> t) { return t->load(); }, got);
    EXPECT_EQ(all, std::uint64_t{4} * places() * rounds * (rounds + 1) / 2);
    co_await place_local<sync_var<std::uint64_t>>::release(v);
    co_await place_local<std::atomic<std::uint64_t>>::release(got);
  });
}

TEST_P(sync_vars, finish_operations_that_nobody_awaits) {
  run_here([]() -> task<void> {
    auto const v = co_await place_local<sync_var<int>>::make();
    auto const last = v.of(static_cast<place_id>(places() - 1));
    co_await finish([&]() -> task<void> {
      read_fe(last).abandon();
      co_await settle();
      co_await write_ef(last, 1);
    });
    EXPECT_EQ(co_await try_read_ff(last), std::nullopt) << "the abandoned read took it";
    co_await finish([&] { write_xf(last, 2).abandon(); });
    EXPECT_EQ(co_await read_ff(last), 2);
    co_await place_local<sync_var<int>>::release(v);
  });
}

TEST(sync_var, destroyed_while_awaited_ends_the_job_and_says_so) {
  for (layout const l : {layout{"smp", 1, 1}, layout{"smp", 2, 2, 4}, layout{"hostile", 2, 1, 2}}) {
    settings s;
    s.fabric = l.fabric;
    s.places = l.places;
    s.workers = l.workers;
    s.threads = l.threads;
    testing::internal::CaptureStderr();
    int const code = run(s, {}, [](args) -> task<int> {
      co_await finish([]() -> task<void> {
        auto v = std::make_unique<sync_var<int>>();
        spawn([](sync_var<int>& w) -> task<void> { static_cast<void>(co_await w.read_ff()); }(*v));
        while (!detail::access::line(*v).awaited()) co_await yield();
      });
      co_return 0;
    });
    std::string const text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(code, 1);
    EXPECT_NE(text.find("a sync_var: destroyed while tasks wait for it"), std::string::npos) << text;
  }
}

TEST(sync_var, lets_a_million_tasks_wait_in_256_bytes_each) {
#if defined(TESS_TEST_SANITIZED) || defined(__riscv)
  static constexpr std::uint64_t count = 50'000;
#else
  static constexpr std::uint64_t count = 1'000'000;
#endif
  // Without optimisation a frame keeps what the optimised one does without.
  // Checked builds keep where a task was made.
#ifdef __OPTIMIZE__
  static constexpr std::uint64_t bytes_each = 256;
#else
  static constexpr std::uint64_t bytes_each = 576;
#endif
  run_job({"smp", 1, 1}, []() -> task<void> {
    sync_var<std::uint64_t> v;
    std::uint64_t begun = 0, ended = 0, in_order = 0;
    std::uint64_t const before = detail::self->frames.reserved_bytes();
    co_await finish([&]() -> task<void> {
      for (std::uint64_t i = 0; i < count; ++i)
        spawn([](sync_var<std::uint64_t>& s, std::uint64_t& b, std::uint64_t& e, std::uint64_t& o) -> task<void> {
          std::uint64_t const turn = b++;
          static_cast<void>(co_await s.read_ff());
          o += turn == e++;
        }(v, begun, ended, in_order));
      while (begun < count) co_await yield();
      std::uint64_t const bytes = detail::self->frames.reserved_bytes() - before;
      EXPECT_LE(bytes, count * bytes_each);
      EXPECT_EQ(ended, 0U);
      ::testing::Test::RecordProperty("bytes_per_task", static_cast<int>(bytes / count));
      v.write_xf(1);
    });
    EXPECT_EQ(in_order, count);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, sync_vars, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
