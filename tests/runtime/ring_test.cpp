// ring: first in, first out, at every size and every position of its ends.
// Method: random pushes, pops and rotations beside std::deque; a full ring rotates.
#include "tess/detail/tasks/ring.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "test_seed.hpp"

namespace tess::test {
namespace {

TEST(ring, keeps_order_while_it_wraps_and_grows) {
  TESS_PRINT_SEED(seed());
  random r(seed());
  detail::ring<std::uint64_t> ring;
  std::deque<std::uint64_t> model;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    bool const growing = i / 1000 % 2 == 0;
    if (model.empty() || r.below(10) < (growing ? 7U : 3U)) {
      ring.push(i);
      model.push_back(i);
    } else if (r.below(2) == 0) {
      ASSERT_EQ(ring.pop(), model.front());
      model.pop_front();
    } else {
      model.push_back(i);
      ASSERT_EQ(ring.rotate(i), model.front());
      model.pop_front();
    }
    ASSERT_EQ(ring.size(), model.size());
    ASSERT_EQ(ring.empty(), model.empty());
  }
}

TEST(ring, rotates_at_every_size_without_losing_an_item) {
  for (std::uint64_t size = 0; size <= 130; ++size) {
    detail::ring<std::uint64_t> ring;
    for (std::uint64_t i = 0; i < size; ++i) ring.push(i);
    for (std::uint64_t i = 0; i < 2 * size + 2; ++i) ASSERT_EQ(ring.rotate(size + i), i) << size;
  }
}

}  // namespace
}  // namespace tess::test
