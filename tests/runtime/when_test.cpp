// when: several tasks at once, the first of several futures, continuations, and waiting for the value of a word.
#include "tess/when.hpp"

#include <atomic>
#include <chrono>
#include <string>

#include "runtime/run_job.hpp"
#include "tess/tess.hpp"

namespace tess::test {
namespace {

task<long> later(long value, int yields) {
  for (int i = 0; i < yields; ++i) co_await yield();
  co_return value;
}
task<void> add_later(std::atomic<long>& sum, long value) {
  co_await yield();
  sum += value;
}
task<long> fail() {
  co_await yield();
  throw error("it failed");
}

std::string what(std::exception_ptr e) {
  try {
    if (e) std::rethrow_exception(e);
  } catch (std::exception const& x) {
    return x.what();
  }
  return "nothing";
}

class when : public on_layouts {};

TEST_P(when, all_have_ended_gives_their_results_in_order) {
  run_here([]() -> task<void> {
    std::atomic<long> sum = 0;
    auto const [a, b, c] = co_await when_all(later(1, 9), add_later(sum, 5), later(2, 0));
    static_assert(std::is_same_v<decltype(b), std::monostate const>);
    EXPECT_EQ(a, 1);
    EXPECT_EQ(c, 2);
    EXPECT_EQ(sum, 5);
    std::vector<task<long>> works;
    for (int i = 0; i < 10; ++i) works.push_back(later(i, 10 - i));
    EXPECT_EQ(co_await when_all(std::move(works)), (std::vector<long>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    std::vector<task<void>> adds;
    for (int i = 0; i < 10; ++i) adds.push_back(add_later(sum, 1));
    co_await when_all(std::move(adds));
    EXPECT_EQ(sum, 15);
    co_await when_all();
    EXPECT_TRUE((co_await when_all(std::vector<task<long>>())).empty());
  });
}

TEST_P(when, all_throws_after_all_have_ended) {
  run_here([]() -> task<void> {
    std::atomic<long> sum = 0;
    std::exception_ptr failed;
    try {
      co_await when_all(fail(), add_later(sum, 5), add_later(sum, 6));
    } catch (...) {
      failed = std::current_exception();
    }
    EXPECT_EQ(what(failed), "it failed");
    EXPECT_EQ(sum, 11);
  });
}

TEST_P(when, any_is_ready_says_which) {
  run_here([]() -> task<void> {
    counter never;
    never.expect(1);
    auto const wait = [](counter& c) -> task<long> {
      co_await c;
      co_return 1;
    };
    auto const slow = async(wait(never));
    auto const fast = async(later(7, 3));
    EXPECT_EQ(co_await when_any(slow, fast), 1U);
    EXPECT_EQ(co_await fast, 7);
    never.acknowledge();
    EXPECT_EQ(co_await slow, 1);
    EXPECT_LE(co_await when_any(std::vector{slow, fast}), 1U);  // both are
    auto const failing = async(fail());
    EXPECT_EQ(co_await when_any(failing), 0U);
    std::exception_ptr failed;
    try {
      co_await failing;
    } catch (...) {
      failed = std::current_exception();
    }
    EXPECT_EQ(what(failed), "it failed");
    try {
      static_cast<void>(co_await when_any(std::vector<future<long>>()));
      ADD_FAILURE() << "none can be the first of no futures";
    } catch (error const& e) {
      EXPECT_STREQ(e.what(), "when_any: an empty vector; expected at least one future");
    }
  });
}

TEST_P(when, a_future_is_ready_then_a_function_follows) {
  run_here([]() -> task<void> {
    auto const doubled = then(async(later(4, 2)), [](long x) { return 2 * x; });
    auto const text = then(doubled, [](long x) -> task<std::string> {
      co_await yield();
      co_return std::to_string(x);
    });
    EXPECT_EQ(co_await text, "8");
    EXPECT_EQ(co_await doubled, 8);
    std::atomic<long> sum = 0;
    co_await then(async(add_later(sum, 3)), [&] { sum += 4; });
    EXPECT_EQ(sum, 7);
    auto const never_called = then(async(fail()), [&](long) { sum = 0; });
    std::exception_ptr failed;
    try {
      co_await never_called;
    } catch (...) {
      failed = std::current_exception();
    }
    EXPECT_EQ(what(failed), "it failed");
    EXPECT_EQ(sum, 7);
  });
}

TEST_P(when, a_word_has_a_value_the_waiter_goes_on) {
  run_here([]() -> task<void> {
    auto const last = static_cast<place_id>(places() - 1);
    auto const word = co_await at(last, [] {
      auto const p = allocate<long>();
      *p.local() = 0;
      return p;
    });
    auto const waiting = async(wait_until(word, [](long x) { return x >= 3; }));
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(waiting.ready());
      co_await sleep_for(std::chrono::microseconds(1500));
      co_await fetch_add(word, 1L);
    }
    EXPECT_EQ(co_await waiting, 3);
    long* const here_too = window(word);
    if (last == here()) EXPECT_EQ(here_too, word.local());
    if (here_too != nullptr) EXPECT_EQ(std::atomic_ref(*here_too).load(), 3);
    if (detail::job.load_window[last] >> 63U == 0) EXPECT_NE(here_too, nullptr);
    co_await at(last, [](global_ptr<long> p) { deallocate(p); }, word);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, when, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
