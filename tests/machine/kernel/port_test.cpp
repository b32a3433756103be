// port_test: values arrive once and in order, and a full or empty port makes its users wait.
//
// Method: a fast and a slow process at the two ends, in both roles; and many at one end.
#include "machine/kernel/port.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using tess::machine::kernel;
using tess::machine::port;
using tess::machine::process;

process pushes(kernel& k, port<int>& out, int first, int count, std::uint64_t every,
               std::vector<std::uint64_t>& times) {
  for (int i = first; i < first + count; ++i) {
    co_await out.push(i);
    times.push_back(k.now());
    if (every != 0) co_await k.delay(every);
  }
}
process pops(kernel& k, port<int>& in, int count, std::uint64_t every, std::vector<int>& values,
             std::vector<std::uint64_t>& times) {
  for (int i = 0; i < count; ++i) {
    values.push_back(co_await in.pop());
    times.push_back(k.now());
    if (every != 0) co_await k.delay(every);
  }
}

TEST(a_port, holds_a_fast_producer_back_to_the_speed_of_its_consumer) {
  kernel k(10);
  port<int> link(k, 2);
  std::vector<std::uint64_t> pushed;
  std::vector<std::uint64_t> popped;
  std::vector<int> values;
  k.start(pushes(k, link, 0, 6, 0, pushed));
  k.start(pops(k, link, 6, 100, values, popped));
  k.run();
  EXPECT_EQ(values, (std::vector{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(popped, (std::vector<std::uint64_t>{0, 100, 200, 300, 400, 500}));
  EXPECT_EQ(pushed, (std::vector<std::uint64_t>{0, 0, 0, 100, 200, 300}));
}

TEST(a_port, lets_a_fast_consumer_wait_for_its_producer) {
  kernel k(10);
  port<int> link(k, 2);
  std::vector<std::uint64_t> pushed;
  std::vector<std::uint64_t> popped;
  std::vector<int> values;
  k.start(pops(k, link, 3, 0, values, popped));
  k.start(pushes(k, link, 7, 3, 50, pushed));
  k.run();
  EXPECT_EQ(values, (std::vector{7, 8, 9}));
  EXPECT_EQ(popped, pushed);
}

TEST(a_port, serves_waiters_in_their_order_and_nobody_overtakes) {
  kernel k(10);
  port<int> link(k, 1);
  std::vector<std::uint64_t> times;
  std::vector<std::uint64_t> popped;
  std::vector<int> values;
  for (int first = 0; first < 40; first += 10) k.start(pushes(k, link, first, 2, 0, times));
  k.start(pops(k, link, 8, 5, values, popped));
  k.run();
  EXPECT_EQ(values, (std::vector{0, 1, 10, 20, 30, 11, 21, 31}));
  EXPECT_TRUE(link.empty());
}

TEST(a_port, refuses_without_taking_the_value) {
  kernel k(10);
  port<int> link(k, 1);
  int value = 5;
  EXPECT_TRUE(link.try_push(value));
  value = 6;
  EXPECT_FALSE(link.try_push(value));
  EXPECT_EQ(value, 6);
  EXPECT_TRUE(link.full());
  EXPECT_EQ(link.try_pop(), 5);
  EXPECT_EQ(link.try_pop(), std::nullopt);
}

}  // namespace
