// calendar_test: events leave in order of time and, at equal times, of insertion; also beyond the horizon.
//
// Method: the important orders by hand, then random insertions during removal, some of them taken back, against a
// std::multimap, which keeps equal keys in order of insertion.
#include "machine/kernel/calendar.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

namespace {

using tess::machine::calendar;
using tess::machine::event;
using tess::machine::picoseconds;

struct numbered : event {
  explicit numbered(int number_) : event([](event&) {}), number(number_) {}
  int number;
};

void put(calendar& queue, numbered& added, picoseconds due) {
  added.due = due;
  queue.put(added);
}

int take(calendar& queue) {
  event* const taken = queue.take();
  return taken == nullptr ? -1 : static_cast<numbered*>(taken)->number;
}

TEST(a_calendar, keeps_equal_times_in_order) {
  calendar queue(1000);
  std::deque<numbered> events;
  for (int i = 0; i < 10; ++i) put(queue, events.emplace_back(i), 5000);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(take(queue), i);
  EXPECT_EQ(take(queue), -1);
}

TEST(a_calendar, sorts_times_within_a_slot) {
  calendar queue(1024);
  std::deque<numbered> events;
  picoseconds const times[] = {700, 100, 400, 100, 900, 0, 400};
  for (int i = 0; i < 7; ++i) put(queue, events.emplace_back(i), times[i]);
  for (int const expected : {5, 1, 3, 2, 6, 0, 4}) EXPECT_EQ(take(queue), expected);
}

TEST(a_calendar, keeps_equal_times_in_order_when_the_first_was_put_beyond_the_horizon) {
  calendar queue(1);
  std::deque<numbered> events;
  picoseconds const far = 12 * calendar::slots;
  put(queue, events.emplace_back(0), far);
  put(queue, events.emplace_back(1), far);
  put(queue, events.emplace_back(2), far - 10);
  EXPECT_EQ(take(queue), 2);
  put(queue, events.emplace_back(3), far);  // now within the horizon
  EXPECT_EQ(take(queue), 0);
  EXPECT_EQ(take(queue), 1);
  EXPECT_EQ(take(queue), 3);
}

TEST(a_calendar, stops_before_a_later_event_and_takes_earlier_ones_afterwards) {
  calendar queue(1);
  std::deque<numbered> events;
  put(queue, events.emplace_back(0), 5000);
  EXPECT_EQ(queue.next_due(), 5000U);
  EXPECT_EQ(queue.take_until(4999), nullptr);
  put(queue, events.emplace_back(1), 4000);
  EXPECT_EQ(queue.next_due(), 4000U);
  EXPECT_EQ(take(queue), 1);
  EXPECT_NE(queue.take_until(5000), nullptr);
  EXPECT_TRUE(queue.empty());
}

class random_order : public testing::TestWithParam<unsigned> {};

TEST_P(random_order, equals_that_of_a_multimap) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  std::mt19937_64 draw(GetParam());
  calendar queue(64);
  std::deque<numbered> events;
  std::multimap<picoseconds, int> expected;
  picoseconds now = 0;
  auto const add = [&] {
    // Mostly near, at coarse times so that many are equal, some far beyond all slots.
    picoseconds const delay = draw() % 8 == 0 ? draw() % 1'000'000 : draw() % 64 * 32;
    numbered& added = events.emplace_back(static_cast<int>(events.size()));
    put(queue, added, now + delay);
    expected.emplace(now + delay, added.number);
  };
  auto const take_back = [&](std::size_t which) {
    auto const one = std::next(expected.begin(), static_cast<std::ptrdiff_t>(which));
    queue.take_back(events[static_cast<std::size_t>(one->second)]);
    expected.erase(one);
  };
  for (int i = 0; i < 100; ++i) add();
  for (int i = 0; i < 50'000; ++i) {
    event* const taken = queue.take();
    ASSERT_NE(taken, nullptr);
    ASSERT_EQ(static_cast<numbered*>(taken)->number, expected.begin()->second);
    ASSERT_EQ(taken->due, expected.begin()->first);
    now = taken->due;
    expected.erase(expected.begin());
    for (auto adds = draw() % 3; adds > 0; --adds) add();
    if (draw() % 4 == 0 && !expected.empty()) take_back(draw() % expected.size());
    if (expected.empty()) add();
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_order, testing::Values(1U, 2U, 3U));

}  // namespace
