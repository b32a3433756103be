// cache_array_test: lines are found by address and type, and the least recently used line is replaced.
//
// Method: small arrays against a list in order of use; a second toy controller that pins lines of its own type among
// ordinary ones.
#include "machine/cache/cache_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <vector>

namespace {

using tess::machine::cache_array;
using tess::machine::cache_shape;
using tess::machine::line_index;
using tess::machine::no_line;

constexpr std::uint8_t valid = 1;

void put(cache_array& array, line_index line, std::uint64_t address) {
  array.assign(line, address);
  array.state(line) = valid;
  array.use(line);
}

TEST(a_cache_array, finds_what_was_assigned_and_nothing_else) {
  cache_array array({.way_bytes = 256, .ways = 2, .line_bytes = 32});
  line_index const line = array.victim(0x1040, [](line_index) { return true; });
  put(array, line, 0x1040);
  EXPECT_EQ(array.find(0x105f), line);
  EXPECT_EQ(array.find(0x1060), no_line);
  EXPECT_EQ(array.find(0x2040), no_line);
  EXPECT_EQ(array.address_of(line), 0x1040U);
  *array.at(line, 0x1047) = std::byte{9};
  EXPECT_EQ(array.data(line)[7], std::byte{9});
  array.state(line) = cache_array::invalid;
  EXPECT_EQ(array.find(0x1040), no_line);
}

class ways : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ways, are_replaced_in_order_of_use) {
  SCOPED_TRACE("seed 5");
  std::uint32_t const count = GetParam();
  cache_array array({.way_bytes = 32, .ways = count, .line_bytes = 32});  // one set
  std::list<std::uint64_t> used;                                          // longest ago first
  std::mt19937_64 draw(5);
  for (int i = 0; i < 5000; ++i) {
    std::uint64_t const address = draw() % (count * 2) * 32;
    line_index line = array.find(address);
    auto const known = std::ranges::find(used, address);
    ASSERT_EQ(line != no_line, known != used.end());
    if (line == no_line) {
      line = array.victim(address, [](line_index) { return true; });
      if (used.size() == count) {
        ASSERT_EQ(array.address_of(line), used.front());
        used.pop_front();
      }
      put(array, line, address);
    } else {
      used.erase(known);
      array.use(line);
    }
    used.push_back(address);
  }
}

INSTANTIATE_TEST_SUITE_P(numbers, ways, testing::Values(1U, 2U, 3U, 4U, 8U, 16U));

/// A toy controller: words that count accesses in the metadata, locked in place, next to an ordinary cache.
class locked_counters {
 public:
  static constexpr std::uint8_t counter = 7;
  explicit locked_counters(cache_array& array) : array_(array) {}
  bool lock(std::uint64_t address) {
    line_index const line =
        array_.victim(address, [&](line_index candidate) { return array_.type(candidate) != counter; });
    if (line == no_line) return false;
    array_.assign(line, address);
    array_.state(line) = valid;
    array_.type(line) = counter;
    array_.metadata(line) = 0;
    return true;
  }
  std::uint64_t count(std::uint64_t address) {
    line_index const line = array_.find(address, counter);
    return line == no_line ? 0 : ++array_.metadata(line);
  }

 private:
  cache_array& array_;
};

TEST(a_second_controller, keeps_lines_of_its_own_among_ordinary_ones) {
  cache_array array({.way_bytes = 64, .ways = 4, .line_bytes = 32});
  locked_counters counters(array);
  ASSERT_TRUE(counters.lock(0x1000));
  ASSERT_TRUE(counters.lock(0x2000));
  auto const ordinary = [&](line_index line) { return array.type(line) == cache_array::cacheable; };
  for (std::uint64_t address = 0; address < 100 * 64; address += 64) {
    line_index const line = array.victim(address, ordinary);
    ASSERT_NE(line, no_line);
    put(array, line, address);
    EXPECT_NE(array.find(address), no_line);
  }
  EXPECT_EQ(array.find(0x1000), no_line) << "an ordinary look-up must not see a line of another type";
  EXPECT_EQ(counters.count(0x1000), 1U);
  EXPECT_EQ(counters.count(0x1000), 2U);
  EXPECT_EQ(counters.count(0x2000), 1U);
  ASSERT_TRUE(counters.lock(0x3000));
  ASSERT_TRUE(counters.lock(0x4000));
  EXPECT_FALSE(counters.lock(0x5000));
  EXPECT_EQ(array.victim(0x5000, ordinary), no_line);
}

}  // namespace
