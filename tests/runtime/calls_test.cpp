// calls_test: the statistics have the times of calls and of their functions; without overlap a worker has one call.
// Method: functions that take a known time, in jobs of two places; the statistics are read back.
#include <gtest/gtest.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tess/tess.hpp"

namespace tess {
namespace {

struct node {
  node* next;
  long value;
};

void take_2_ms() {
  auto const until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
  while (std::chrono::steady_clock::now() < until) {
  }
}

class timed_calls : public testing::Test {
 protected:
  void run_calls(task<int> (*app)(args)) {
    settings s;
    s.places = 2;
    s.fabric = "smp";
    s.stats = file_;
    ASSERT_EQ(tess::run(s, {}, app), 0);
    std::ifstream stream(file_);
    text_ = {std::istreambuf_iterator<char>(stream), {}};
  }
  void TearDown() override { std::filesystem::remove(file_); }

  /// The sum of all places.
  [[nodiscard]] double count(std::string const& name) const {
    std::size_t const at = text_.find('"' + name + "\": ");
    double value = -1;
    if (at != std::string::npos)
      std::from_chars(text_.data() + at + name.size() + 4, text_.data() + text_.size(), value);
    return value;
  }

 private:
  std::string file_ = (std::filesystem::temp_directory_path() /
                       ("calls_test." + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "." +
                        std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + ".json"))
                          .string();
  std::string text_;
};

TEST_F(timed_calls, last_as_long_as_their_functions_and_more) {
  run_calls([](args) -> task<int> {
    for (int i = 0; i < 3; ++i) co_await at(1, [] { take_2_ms(); });
    long const seven = co_await at(1, []() -> task<long> {
      take_2_ms();
      co_return 7;
    });
    co_await at(0, [] { take_2_ms(); });  // stays here
    co_return seven == 7 ? 0 : 1;
  });
  EXPECT_EQ(count("calls"), 4);
  EXPECT_GE(count("function_ns"), 8e6);
  EXPECT_GE(count("call_ns"), count("function_ns"));
}

TEST_F(timed_calls, with_objects_end_with_their_functions) {
  run_calls([](args) -> task<int> {
    node* const list = make<node>(nullptr, 5L);
    long const five = co_await at(
        1,
        [](node* n) {
          take_2_ms();
          return n->value;
        },
        list);
    co_await finish([&]() -> task<void> {
      at_async(1, [](node*) { take_2_ms(); }, list);
      at_async(0, [](node*) { take_2_ms(); }, list);  // stays here
      co_return;
    });
    co_return five == 5 ? 0 : 1;
  });
  EXPECT_EQ(count("calls"), 2);
  EXPECT_GE(count("function_ns"), 4e6);
  EXPECT_LT(count("function_ns"), count("call_ns"));
}

/// The most calls that one worker of place 0 has under way at a time.
int most_at_a_time(bool overlap) {
  static std::atomic<int> now;
  static std::atomic<int> most;
  now = most = 0;
  settings s;
  s.places = 2;
  s.fabric = "smp";
  s.overlap_calls = overlap;
  int const code = tess::run(s, {}, [](args) -> task<int> {
    co_await finish([]() -> task<void> {
      for (int i = 0; i < 8; ++i)
        spawn([]() -> task<void> {
          int const with_mine = ++now;
          if (with_mine > most) most = with_mine;
          co_await at(1, []() -> task<void> { co_await yield(); });
          --now;
        });
      co_return;
    });
    co_return 0;
  });
  EXPECT_EQ(code, 0);
  return most;
}

TEST(calls, of_several_tasks_overlap_unless_the_settings_say_no) {
  EXPECT_EQ(most_at_a_time(false), 1);
  EXPECT_GT(most_at_a_time(true), 1);
}

TEST(calls, that_are_given_up_let_further_tasks_start) {
  settings s;
  s.places = 2;
  s.fabric = "smp";
  s.overlap_calls = false;
  s.stall_timeout = 20;
  int const code = tess::run(s, {}, [](args) -> task<int> {
    bool given_up = false;
    try {
      co_await with_timeout(at(1, []() -> task<void> { co_await sleep_for(std::chrono::milliseconds(20)); }),
                            std::chrono::milliseconds(1));
    } catch (timed_out const&) {
      given_up = true;
    }
    co_return given_up ? co_await async([]() -> task<int> { co_return 7; }()) : 1;
  });
  EXPECT_EQ(code, 7);
}

}  // namespace
}  // namespace tess
