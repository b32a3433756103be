// heap: blocks never overlap, freed blocks merge, and addresses that were not allocated are refused.
// Method: random allocations and frees beside a map of what is live; every block is filled and checked.
#include "runtime/memory/heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "test_seed.hpp"

namespace tess::test {
namespace {

constexpr std::uint64_t begin = 4096, end = 4096 + (std::uint64_t{1} << 20);

class heaps : public testing::Test {
 protected:
  std::vector<std::byte> memory_ = std::vector<std::byte>(end + 64);
  std::byte* base_ = memory_.data() + (64 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 64) % 64;
  std::uint64_t limit_ = end;
  std::uint64_t used_ = begin;  ///< what the heap asked for so far
  detail::heap heap_{base_, begin, end, [this](std::uint64_t o, std::uint64_t b) {
                       if (o + b > limit_) return false;
                       used_ = std::max(used_, o + b);
                       return true;
                     }};
};

TEST_F(heaps, agrees_with_a_model_of_live_blocks) {
  TESS_PRINT_SEED(seed());
  random r(seed());
  struct live {
    std::uint64_t bytes;
    std::uint8_t mark;
  };
  std::map<std::uint64_t, live> blocks;
  std::uint64_t const all = heap_.left_bytes();
  for (int i = 0; i < 40000; ++i) {
    bool const filling = i / 2000 % 2 == 0;
    if (blocks.empty() || r.below(10) < (filling ? 7U : 3U)) {
      std::uint64_t const bytes = r.below(8) == 0 ? r.below(40000) : r.below(600);
      std::uint64_t const o = heap_.allocate(bytes);
      if (o == 0) continue;
      ASSERT_EQ(o % 64, 0U);
      ASSERT_GE(o, begin);
      ASSERT_LE(o + bytes, end);
      auto const after = blocks.lower_bound(o);
      if (after != blocks.end()) ASSERT_LE(o + std::max<std::uint64_t>(bytes, 1), after->first);
      if (after != blocks.begin()) ASSERT_LE(std::prev(after)->first + std::prev(after)->second.bytes, o);
      auto const mark = static_cast<std::uint8_t>(r.next());
      std::memset(base_ + o, mark, bytes);
      blocks[o] = {bytes, mark};
    } else {
      auto const it = std::next(blocks.begin(), static_cast<std::ptrdiff_t>(r.below(blocks.size())));
      auto const [o, b] = *it;
      for (std::uint64_t k = 0; k < b.bytes; ++k) ASSERT_EQ(base_[o + k], std::byte{b.mark});
      ASSERT_TRUE(heap_.release(o));
      ASSERT_FALSE(heap_.release(o)) << "double free";
      blocks.erase(it);
    }
  }
  for (auto const& [o, b] : blocks) ASSERT_TRUE(heap_.release(o));
  EXPECT_EQ(heap_.left_bytes(), all);
  // Everything has joined again: one block takes all that was ever used.
  std::uint64_t const whole = used_ - begin - 64;
  EXPECT_EQ(heap_.allocate(whole), begin + 64);
}

TEST_F(heaps, neighbours_join_in_every_order) {
  int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (auto const& order : orders) {
    std::uint64_t const b[3] = {heap_.allocate(1000), heap_.allocate(2000), heap_.allocate(3000)};
    std::uint64_t const top = used_;
    for (int const i : order) ASSERT_TRUE(heap_.release(b[i]));
    std::uint64_t const all = heap_.allocate(1000 + 2000 + 3000);
    EXPECT_EQ(all, b[0]);
    EXPECT_EQ(used_, top);
    ASSERT_TRUE(heap_.release(all));
  }
}

TEST_F(heaps, refuse_addresses_that_were_not_given_out) {
  std::uint64_t const o = heap_.allocate(500);
  for (std::uint64_t const wrong : {std::uint64_t{0}, begin, o - 64, o + 64, o + 1, end, end + 64, ~std::uint64_t{63}})
    EXPECT_FALSE(heap_.release(wrong)) << wrong;
  EXPECT_TRUE(heap_.release(o));
}

TEST_F(heaps, say_no_when_nothing_is_left_or_memory_cannot_be_committed) {
  EXPECT_EQ(heap_.allocate(end - begin), 0U) << "no room for the tag";
  EXPECT_EQ(heap_.allocate(~std::uint64_t{0}), 0U);
  EXPECT_EQ(heap_.allocate(std::uint64_t{1} << 63), 0U);
  limit_ = begin + 4096;
  std::uint64_t const small = heap_.allocate(1000);
  EXPECT_NE(small, 0U);
  std::uint64_t const left = heap_.left_bytes();
  EXPECT_EQ(heap_.allocate(8000), 0U);
  EXPECT_EQ(heap_.left_bytes(), left);
  limit_ = end;
  EXPECT_NE(heap_.allocate(8000), 0U);
}

TEST_F(heaps, give_distinct_blocks_for_zero_bytes) {
  std::uint64_t const a = heap_.allocate(0), b = heap_.allocate(0);
  EXPECT_NE(a, 0U);
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace tess::test
