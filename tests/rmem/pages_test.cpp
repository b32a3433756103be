// pages_test: pieces never overlap, all of the memory can be had again, and what comes back is zero. Method: random
// takes and returns beside a map of who has which page; a small tmpfs-like limit for the full disk.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <vector>

#include "rmem/store/page_allocator.hpp"

namespace tess::memd {
namespace {

constexpr std::uint64_t page = pages::page_bytes;

TEST(pages, random_takes_never_overlap_and_read_as_zeros) {
  constexpr std::uint64_t count = 256;
  pages memory(count * page);
  std::vector<bool> used(count);
  std::vector<std::vector<piece>> taken;
  std::mt19937 random(42);
  for (int round = 0; round < 3000; ++round) {
    if (random() % 2 == 0 && !taken.empty()) {
      std::swap(taken[random() % taken.size()], taken.back());
      for (auto const& [offset, size] : taken.back())
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(offset / page), size / page, false);
      memory.give_back(taken.back());
      taken.pop_back();
      continue;
    }
    std::uint64_t const bytes = 1 + random() % (20 * page);
    std::uint64_t const free = memory.free();
    auto got = memory.take(bytes);
    ASSERT_EQ(got.why == pages::refusal::none, pages::rounded(bytes) <= free) << "fragmentation refuses nothing";
    std::uint64_t total = 0;
    for (auto const& [offset, size] : got.pieces) {
      total += size;
      for (std::uint64_t p = offset / page; p < (offset + size) / page; ++p) {
        ASSERT_FALSE(used[p]) << "page " << p << " was given twice, round " << round;
        used[p] = true;
      }
      auto const* const begin = memory.at(offset);
      ASSERT_TRUE(std::all_of(begin, begin + size, [](std::byte b) { return b == std::byte{0}; }));
      std::memset(memory.at(offset), 0xab, size);
    }
    if (got.why == pages::refusal::none) {
      ASSERT_EQ(total, pages::rounded(bytes));
      taken.push_back(std::move(got.pieces));
    }
  }
  for (auto const& pieces : taken) memory.give_back(pieces);
  EXPECT_EQ(memory.free(), count * page);
  EXPECT_EQ(memory.take(count * page).pieces.size(), 1U) << "free pieces that touch are one";
}

TEST(pages, takes_again_only_what_is_free) {
  pages memory(8 * page);
  EXPECT_TRUE(memory.take_again(std::vector<piece>{{2 * page, 3 * page}}));
  EXPECT_FALSE(memory.take_again(std::vector<piece>{{4 * page, page}}));
  EXPECT_FALSE(memory.take_again(std::vector<piece>{{7 * page, 2 * page}}));
  EXPECT_FALSE(memory.take_again(std::vector<piece>{{page + 1, page}}));
  EXPECT_TRUE(memory.take_again(std::vector<piece>{{0, 2 * page}, {5 * page, 3 * page}}));
  EXPECT_EQ(memory.free(), 0U);
}

TEST(pages, a_file_keeps_what_was_written) {
  auto const file = std::filesystem::temp_directory_path() / ("tess_pages_test." + std::to_string(getpid()));
  std::vector<piece> kept;
  {
    pages memory(4 * page, file);
    kept = memory.take(2 * page).pieces;
    std::memset(memory.at(kept[0].offset), 0x5a, page);
  }
  pages memory(4 * page, file);
  ASSERT_TRUE(memory.take_again(kept));
  EXPECT_EQ(*memory.at(kept[0].offset), std::byte{0x5a});
  memory.give_back(kept);
  EXPECT_EQ(*memory.at(kept[0].offset), std::byte{0});
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tess::memd
