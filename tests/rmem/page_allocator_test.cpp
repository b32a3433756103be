// page_allocator_test: extents never overlap, all memory can be allocated again, and freed memory is zero. Method:
// random allocations beside a map of used pages.
#include "rmem/store/page_allocator.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <vector>

namespace tess::memd {
namespace {

constexpr std::uint64_t page = page_allocator::page_bytes;

TEST(page_allocator, random_allocations_never_overlap_and_read_as_zeros) {
  constexpr std::uint64_t count = 256;
  page_allocator memory(count * page);
  std::vector<bool> used(count);
  std::vector<std::vector<extent>> taken;
  std::mt19937 random(42);
  for (int round = 0; round < 3000; ++round) {
    if (random() % 2 == 0 && !taken.empty()) {
      std::swap(taken[random() % taken.size()], taken.back());
      for (auto const& [offset, size] : taken.back())
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(offset / page), size / page, false);
      memory.free(taken.back());
      taken.pop_back();
      continue;
    }
    std::uint64_t const bytes = 1 + random() % (20 * page);
    std::uint64_t const available = memory.free_bytes();
    auto got = memory.allocate(bytes);
    ASSERT_EQ(got.why == page_allocator::failure::none, page_allocator::rounded(bytes) <= available)
        << "fragmentation refuses nothing";
    std::uint64_t total = 0;
    for (auto const& [offset, size] : got.extents) {
      total += size;
      for (std::uint64_t p = offset / page; p < (offset + size) / page; ++p) {
        ASSERT_FALSE(used[p]) << "page " << p << " was allocated twice, round " << round;
        used[p] = true;
      }
      auto const* const begin = memory.at(offset);
      ASSERT_TRUE(std::all_of(begin, begin + size, [](std::byte b) { return b == std::byte{0}; }));
      std::memset(memory.at(offset), 0xab, size);
    }
    if (got.why == page_allocator::failure::none) {
      ASSERT_EQ(total, page_allocator::rounded(bytes));
      taken.push_back(std::move(got.extents));
    }
  }
  for (auto const& extents : taken) memory.free(extents);
  EXPECT_EQ(memory.free_bytes(), count * page);
  EXPECT_EQ(memory.allocate(count * page).extents.size(), 1U) << "adjacent free extents are merged";
}

TEST(page_allocator, claims_only_what_is_free) {
  page_allocator memory(8 * page);
  EXPECT_TRUE(memory.claim(std::vector<extent>{{2 * page, 3 * page}}));
  EXPECT_FALSE(memory.claim(std::vector<extent>{{4 * page, page}}));
  EXPECT_FALSE(memory.claim(std::vector<extent>{{7 * page, 2 * page}}));
  EXPECT_FALSE(memory.claim(std::vector<extent>{{page + 1, page}}));
  EXPECT_TRUE(memory.claim(std::vector<extent>{{0, 2 * page}, {5 * page, 3 * page}}));
  EXPECT_EQ(memory.free_bytes(), 0U);
}

TEST(page_allocator, a_file_keeps_what_was_written) {
  auto const file = std::filesystem::temp_directory_path() / ("tess_page_allocator_test." + std::to_string(getpid()));
  std::vector<extent> kept;
  {
    page_allocator memory(4 * page, file);
    kept = memory.allocate(2 * page).extents;
    std::memset(memory.at(kept[0].offset), 0x5a, page);
  }
  page_allocator memory(4 * page, file);
  ASSERT_TRUE(memory.claim(kept));
  EXPECT_EQ(*memory.at(kept[0].offset), std::byte{0x5a});
  // A region that was removed before had the same pages.
  memory.free(kept);
  ASSERT_TRUE(memory.claim(kept));
  EXPECT_EQ(*memory.at(kept[0].offset), std::byte{0x5a});
  memory.clear_free();
  EXPECT_EQ(*memory.at(kept[0].offset), std::byte{0x5a});
  memory.free(kept);
  EXPECT_EQ(*memory.at(kept[0].offset), std::byte{0});
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tess::memd
