// must_await: operations and tasks that are destroyed without their co_await are reported with their lines.
//
// Method: each case loses one operation at a known line of a job; its report and the job's exit code are compared.
// Checked builds only, because others keep nothing of it.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "tess/tess.hpp"

namespace {

using namespace tess;

struct outcome {
  int code;
  std::string text;
};

outcome run_lost(task<void> (*body)(), char const* fabric = "smp", unsigned places = 1) {
  settings s;
  s.fabric = fabric;
  s.places = places;
  testing::internal::CaptureStderr();
  int const code = run(s, {}, [body](args) -> task<int> {
    co_await body();
    co_return 0;
  });
  return {code, testing::internal::GetCapturedStderr()};
}

unsigned lost_line;

/// Exactly one report, with the line `lost_line` and these words.
void expect_report(outcome const& o, std::string const& words) {
#if defined(TESS_CHECKED) && TESS_CHECKED
  EXPECT_EQ(o.code, 1) << o.text;
  std::string const line = "must_await_test.cpp:" + std::to_string(lost_line) + ": ";
  EXPECT_NE(o.text.find(line), std::string::npos) << "expected " << line << "\n" << o.text;
  EXPECT_NE(o.text.find(words), std::string::npos) << "expected " << words << "\n" << o.text;
  std::size_t const first = o.text.find("without having been awaited");
  EXPECT_EQ(o.text.find("without having been awaited", first + 1), std::string::npos) << o.text;
#else
  static_cast<void>(words);
  EXPECT_EQ(o.code, 0) << o.text;
#endif
}

void expect_none(outcome const& o) {
  EXPECT_EQ(o.code, 0) << o.text;
  EXPECT_EQ(o.text, "");
}

task<int> answer() {
  co_return 42;
}

/// The line of a task's report is that of its function.
constexpr unsigned answer_line = __LINE__ - 5;

#define LOSE(...)       \
  lost_line = __LINE__; \
  [[maybe_unused]] auto const lost = __VA_ARGS__

TEST(lost, task_is_reported_with_its_function_and_where_it_was_made) {
  unsigned waited = 0;
  static unsigned* where;
  where = &waited;
  outcome const o = run_lost([]() -> task<void> {
    *where = __LINE__ + 1;
    co_await yield();
    LOSE(answer());
  });
  lost_line = answer_line;
  expect_report(o, "a task was destroyed");
#if defined(TESS_CHECKED) && TESS_CHECKED
  EXPECT_NE(o.text.find("made after the co_await at "), std::string::npos) << o.text;
  EXPECT_NE(o.text.find("must_await_test.cpp:" + std::to_string(waited) + ")"), std::string::npos) << o.text;
  EXPECT_NE(o.text.find("answer()"), std::string::npos) << o.text;
#endif
}

TEST(lost, collectives_are_reported_with_their_calls) {
  expect_report(run_lost([]() -> task<void> {
                  LOSE(barrier());
                  co_return;
                }),
                "a barrier was destroyed");
  expect_report(run_lost([]() -> task<void> {
                  LOSE(static_cast<task<void>>(barrier()));
                  co_return;
                }),
                "a task was destroyed");
  expect_report(run_lost([]() -> task<void> {
                  LOSE(all_reduce(1));
                  co_return;
                }),
                "a task was destroyed");
  expect_report(run_lost([]() -> task<void> {
                  LOSE(team::world().all_gather(1));
                  co_return;
                }),
                "a task was destroyed");
}

TEST(lost, finish_is_reported) {
  expect_report(run_lost([]() -> task<void> {
                  LOSE(finish([] {}));
                  co_return;
                }),
                "a finish was destroyed");
}

TEST(lost, at_is_reported_whatever_travels) {
  expect_report(run_lost(
                    []() -> task<void> {
                      LOSE(at(1, [] { return 1; }));
                      co_return;
                    },
                    "smp", 2),
                "an at was destroyed");
  expect_report(run_lost([]() -> task<void> {
                  LOSE(at(0, [](std::vector<int> v) { return v; }, std::vector<int>(3, 1)));
                  co_return;
                }),
                "an at was destroyed");
}

TEST(lost, event_operations_are_reported_here_and_elsewhere) {
  expect_report(run_lost([]() -> task<void> {
                  sync_var<int> v;
                  LOSE(v.write_ef(3));
                  co_return;
                }),
                "an operation that may wait was destroyed");
  expect_report(run_lost([]() -> task<void> {
                  mutex m;
                  LOSE(m.guard());
                  co_return;
                }),
                "an operation that may wait was destroyed");
  expect_report(run_lost([]() -> task<void> {
                  queue<int> q;
                  LOSE(q.push(1));
                  co_return;
                }),
                "an operation that may wait was destroyed");
  expect_report(run_lost([]() -> task<void> {
                  sync_var<int> v(1);
                  co_await v.read_ff();
                  {
                    LOSE(write_xf(v.address(), 3));
                  }
                  co_await v.read_ff();
                }),
                "an operation at another place was destroyed");
}

TEST(lost, sleeps_and_limited_awaits_are_reported) {
  expect_report(run_lost([]() -> task<void> {
                  LOSE(sleep_for(std::chrono::milliseconds(1)));
                  co_return;
                }),
                "a sleep was destroyed");
  expect_report(run_lost([]() -> task<void> {
                  counter c;
                  LOSE(with_timeout(c, std::chrono::milliseconds(1)));
                  co_return;
                }),
                "an await that may be given up was destroyed");
}

TEST(lost, words_are_reported) {
  for (char const* const fabric : {"smp", "hostile"})
    expect_report(run_lost(
                      []() -> task<void> {
                        auto const p = allocate<int>();
                        LOSE(put(p, 3));
                        co_return;
                      },
                      fabric),
                  "an operation was destroyed");
}

/// What completes by itself, or was meant, is no mistake.
TEST(lost, nothing_is_what_completes_by_itself_or_was_abandoned) {
  expect_none(run_lost(
      []() -> task<void> {
        std::vector<int> numbers(4, 7);
        auto const p = allocate<int>(4);
        {
          [[maybe_unused]] auto const block = put(numbers, p);  // its destructor waits for it
        }
        int back = 0;
        for (int i = 0; i < 4; ++i) back += co_await get(p + i);
        EXPECT_EQ(back, 28);
        {
          [[maybe_unused]] auto const result = async(answer());  // it runs all the same
        }
        auto const call = at(1, [] {});
        call.abandon();
        auto const word = fetch_add(p, 1);
        word.abandon();
        mutex m;
        co_await m.lock();
        unlock(m.address());
        task<int> kept = answer();
        task<int> moved = std::move(kept);
        EXPECT_EQ(co_await std::move(moved), 42);
        std::stop_source stop;
        EXPECT_EQ(co_await with_stop(answer(), stop.get_token()), 42);
        spawn([]() -> task<void> { co_return; });
      },
      "smp", 2));
}

TEST(lost, nothing_is_reported_of_what_an_exception_destroys) {
  expect_none(run_lost([]() -> task<void> {
    try {
      [[maybe_unused]] auto const unwound = answer();
      [[maybe_unused]] auto const inner = finish([] {});
      [[maybe_unused]] auto const word = put(allocate<int>(), 5);
      throw std::runtime_error("a reason");
    } catch (std::runtime_error const&) {
    }
    co_return;
  }));
}

}  // namespace
