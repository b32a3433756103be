// process_pool_test: frames of processes are reused by size, and large ones come from the heap.
//
// Method: pools owned by the test, and counts of the entries of the free lists.
#include "machine/kernel/process_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using tess::machine::process_pool;

TEST(a_process_pool, hands_out_what_was_given_back_last) {
  process_pool pool;
  void* const first = pool.take(100);
  void* const second = pool.take(100);
  EXPECT_NE(first, second);
  pool.give(first, 100);
  pool.give(second, 100);
  EXPECT_EQ(pool.spare(), 2U);
  EXPECT_EQ(pool.take(128), second);  // the same multiple of 64
  EXPECT_EQ(pool.take(65), first);
  pool.give(first, 65);
  pool.give(second, 128);
}

TEST(a_process_pool, keeps_sizes_apart_and_large_frames_out) {
  process_pool pool;
  void* const small = pool.take(64);
  void* const large = pool.take(process_pool::largest_bytes + 1);
  std::memset(small, 1, 64);
  std::memset(large, 2, process_pool::largest_bytes + 1);
  pool.give(small, 64);
  pool.give(large, process_pool::largest_bytes + 1);
  EXPECT_EQ(pool.spare(), 1U);
  void* const other = pool.take(65);
  EXPECT_NE(other, small);
  pool.give(other, 65);
}

}  // namespace
