// delay: with settings::delay, operations on other places take at least that long, concurrent ones no longer than one.
// Operations on the own place are not delayed.
// Method: texts are parsed to times; then programs with delays of milliseconds are timed, with generous bounds.
#include "tess/delay.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

using std::literals::chrono_literals::operator""ms;
using std::literals::chrono_literals::operator""ns;
using std::literals::chrono_literals::operator""s;
using std::literals::chrono_literals::operator""us;
using clock = std::chrono::steady_clock;

TEST(delays, are_read_with_their_units) {
  EXPECT_EQ(delay::parse_time("500ns"), 500ns);
  EXPECT_EQ(delay::parse_time("3us"), 3us);
  EXPECT_EQ(delay::parse_time("2.5µs"), 2500ns);
  EXPECT_EQ(delay::parse_time("1ms"), 1ms);
  EXPECT_EQ(delay::parse_time("1s"), 1s);
  EXPECT_EQ(delay::parse_time("0"), 0ns);
  auto const both = delay::parse("3us,700ns");
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->time, 3us);
  EXPECT_EQ(both->jitter, 700ns);
  EXPECT_EQ(delay::parse("3us")->jitter, 0ns);
}

TEST(delays, that_are_not_times_are_refused) {
  for (char const* text : {"", "3", "us", "-3us", "3 us", "3usx", "2s", "3us,", ",3us", "3us,1us,1us", "nan", "1e3us"})
    EXPECT_FALSE(delay::parse(text).has_value()) << text;
}

/// How long `body` takes at place 0 of two places with a delay.
template <class F>
double seconds_of(settings s, F body) {
  double seconds = -1;
  s.places = 2;
  s.stall_timeout = 20;
  int const code = run(s, {}, [&](args) -> task<int> {
    auto const there = co_await at(1, [] {
      auto const words = allocate<std::uint64_t>(1024);
      for (int i = 0; i < 1024; ++i) words.local()[i] = 7;
      return words;
    });
    auto const here = allocate<std::uint64_t>();
    auto const begin = clock::now();
    co_await body(there, here);
    seconds = seconds_since(begin);
    co_await at(1, [](auto g) { deallocate(g); }, there);
    deallocate(here);
    co_return 0;
  });
  EXPECT_EQ(code, 0);
  return seconds;
}

struct way {
  char const* name;
  unsigned workers, threads;
  bool no_window;
  std::chrono::nanoseconds jitter;
};
void PrintTo(way const& w, std::ostream* out) {
  *out << w.name;
}

class delayed : public testing::TestWithParam<way> {
 protected:
  static constexpr auto time = 5ms;
  settings with(std::chrono::nanoseconds d = time) {
    settings s;
    s.workers = GetParam().workers;
    s.threads = GetParam().threads;
    s.no_window = GetParam().no_window;
    s.delay = {d, GetParam().jitter};
    return s;
  }
};

using words = global_ptr<std::uint64_t>;

TEST_P(delayed, operations_on_another_place_take_at_least_so_long) {
  EXPECT_GE(seconds_of(with(), [](words there, words) -> task<void> { EXPECT_EQ(co_await get(there), 7U); }), 0.005);
  EXPECT_GE(seconds_of(with(), [](words there, words) -> task<void> { co_await put(there, 9); }), 0.005);
  EXPECT_GE(seconds_of(with(), [](words there, words) -> task<void> { co_await fetch_add(there, 9); }), 0.005);
  EXPECT_GE(seconds_of(with(),
                       [](words there, words) -> task<void> {
                         std::vector<std::uint64_t> block(100);
                         co_await get(there, std::span(block));
                         EXPECT_EQ(block[99], 7U);
                       }),
            0.005);
  EXPECT_GE(seconds_of(with(), [](words there, words here) -> task<void> { co_await copy(here, there, 1); }), 0.005);
  // There and back.
  EXPECT_GE(seconds_of(with(), [](words, words) -> task<void> { co_await at(1, [] {}); }), 0.010);
}

TEST_P(delayed, operations_on_the_own_place_do_not) {
  EXPECT_LT(seconds_of(with(100ms),
                       [](words, words here) -> task<void> {
                         co_await put(here, 3);
                         EXPECT_EQ(co_await fetch_add(here, 2), 3U);
                         std::vector<std::uint64_t> block(1);
                         co_await get(here, std::span(block));
                         co_await at(0, [] {});
                       }),
            0.09);
}

TEST_P(delayed, tasks_wait_side_by_side_and_each_for_its_whole_delay) {
  double least = 1;
  double const seconds = seconds_of(with(20ms), [&](words there, words) -> task<void> {
    co_await finish([&] {
      for (int i = 0; i < 3000; ++i)
        spawn(
            [](words w, double* shortest) -> task<void> {
              auto const begin = clock::now();
              co_await fetch_add(w, 1);
              place_atomic([&] { *shortest = std::min(*shortest, seconds_since(begin)); });
            },
            there + i % 1024, &least);
    });
  });
  EXPECT_GE(least, 0.020);
  // One after the other they would take a minute.
  EXPECT_LT(seconds, 10);
}

TEST_P(delayed, operations_issued_together_wait_together) {
  double const seconds = seconds_of(with(20ms), [](words there, words) -> task<void> {
    std::uint64_t sum = 0;
    co_await overlap<64>(
        0, 256, [there](std::uint64_t k) { return get(there + static_cast<std::ptrdiff_t>(k)); },
        [&sum](std::uint64_t, std::uint64_t v) { sum += v; });
    EXPECT_EQ(sum, 256U * 7);
  });
  EXPECT_GE(seconds, 0.080);
  EXPECT_LT(seconds, 2.5);  // one after the other: 5 s
}

TEST_P(delayed, abandoned_operations_and_late_awaits_do_no_harm) {
  seconds_of(with(1ms), [](words there, words) -> task<void> {
    for (int i = 0; i < 200; ++i) {
      {
        auto const abandoned = fetch_add(there + 1, 1);
        abandoned.abandon();
      }
      auto const early = clock::now();
      auto kept = fetch_add(there, 1);
      if (i % 20 == 0) co_await at(1, [] {});
      EXPECT_EQ(co_await kept, 7U + static_cast<unsigned>(i));
      if (i % 20 == 0) {
        EXPECT_GE(seconds_since(early), 0.002);
      }
    }
  });
}

TEST_P(delayed, operations_can_be_given_up) {
  double const seconds = seconds_of(with(300ms), [](words there, words) -> task<void> {
    int given_up = 0;
    for (int i = 0; i < 25; ++i) {
      try {
        co_await with_timeout(fetch_add(there, 1), 2ms);
      } catch (timed_out const&) {
        ++given_up;
      }
    }
    EXPECT_EQ(given_up, 25);
    EXPECT_EQ(co_await with_timeout(get(there + 1), 20s), 7U);
  });
  // One whole delay for the get, two for each of seconds_of's calls; abandoned ones are not waited for.
  EXPECT_LT(seconds, 4);
}

TEST_P(delayed, a_notification_arrives_although_its_sender_computes) {
  double waited = 0;
  settings s = with();
  s.places = 2;
  s.threads = std::max(2U, s.threads);
  int const code = run(s, {}, [&](args) -> task<int> {
    counter told;
    told.expect(1);
    auto const begin = clock::now();
    co_await finish([&] {
      at_async(
          1,
          [](global_ptr<counter> c) {
            notify(c);
            for (auto const start = clock::now(); clock::now() - start < 400ms;) {
            }
          },
          told.address());
      spawn(
          [](counter& c, clock::time_point since, double* seconds) -> task<void> {
            co_await c;
            *seconds = seconds_since(since);
          },
          std::ref(told), begin, &waited);
    });
    co_return 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_GE(waited, 0.010);
  // With several workers the thread that computes may be the one that the waiter runs on.
  if (s.workers == 1) {
    EXPECT_LT(waited, 0.35);
  }
}

INSTANTIATE_TEST_SUITE_P(ways, delayed,
                         testing::Values(way{"windows", 1, 2, false, 0ns}, way{"one_thread", 1, 1, false, 0ns},
                                         way{"workers", 2, 3, false, 0ns}, way{"jitter", 1, 2, false, 1ms},
                                         way{"fabric", 1, 2, true, 0ns}, way{"fabric_workers", 2, 4, true, 1ms}),
                         [](auto const& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace tess::test
