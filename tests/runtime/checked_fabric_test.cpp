// checked_fabric: `--fabric checked` verifies every access in every build. Method: accesses that are wrong, each in one
// way, at this place and another; the error names the line of the call. Right ones next to them are left alone.
#include <array>
#include <set>
#include <source_location>
#include <string>

#include "runtime/run_job.hpp"
#include "tess/tess.hpp"

namespace tess::test {
namespace {

constexpr std::array checked_layouts{layout{"checked", 2, 1}, layout{"checked", 3, 2, 4},
                                     layout{"checked", 2, 1, 1, "3us"}, layout{"checked", 2, 1, 0, "", true}};

class checked_fabric : public on_layouts {};

// The text of the error that `action` ends by. The call must be on the line after that of expect_error.
template <class Action>
task<void> expect_error(std::string text, Action action, std::source_location at = std::source_location::current()) {
  std::string said = "no error";
  try {
    co_await action();
  } catch (tess::error const& e) {
    said = e.what();
  }
  EXPECT_TRUE(said.contains(text)) << said << ", expected " << text << " in line " << at.line();
  EXPECT_TRUE(said.contains("checked_fabric_test.cpp:")) << said << ", in line " << at.line();
}

TEST_P(checked_fabric, refuses_words_and_blocks_of_memory_that_is_not_theirs) {
  run_here([]() -> task<void> {
    for (place_id const p : {place_id{0}, static_cast<place_id>(places() - 1)}) {
      auto const block = co_await at(p, [] {
        auto const made = allocate<long>(10);
        std::fill_n(made.local(), 10, 7);
        return made;
      });
      // Right, up to the last byte.
      EXPECT_EQ(co_await get(block), 7);
      EXPECT_EQ(co_await get(block + 9), 7);
      EXPECT_EQ(co_await fetch_add(block + 9, 1L), 7);
      std::vector<long> all(10);
      co_await get(block, std::span(all));
      EXPECT_EQ(all[9], 8);

      co_await expect_error("beyond the end of its block", [&]() -> task<void> { co_await put(block + 10, 1L); });
      co_await expect_error("not allocated", [&]() -> task<void> { co_await get(block - 1); });
      co_await expect_error("beyond the end of its block", [&]() -> task<void> {
        std::vector<long> more(11);
        co_await get(block, std::span(more));
      });
      co_await expect_error("beyond the end of its block", [&]() -> task<void> {
        std::vector<long> more(100);
        co_await put(std::span(more), block);
      });
      co_await expect_error("misaligned",
                            [&]() -> task<void> { co_await get(global_ptr<long>::from_bits(block.bits() + 4)); });
      co_await expect_error("null", [&]() -> task<void> { co_await get(global_ptr<long>()); });
      co_await expect_error("place 999",
                            [&]() -> task<void> { co_await fetch_add(global_ptr<long>(999, block.offset()), 1L); });
      co_await expect_error("inside its segment",
                            [&]() -> task<void> { co_await put(global_ptr<long>(p, std::uint64_t{1} << 47), 1L); });

      co_await at(p, [](global_ptr<long> b) { deallocate(b); }, block);
      co_await expect_error("given back", [&]() -> task<void> { co_await get(block); });
      co_await expect_error("given back", [&]() -> task<void> { co_await compare_swap(block + 3, 1L, 2L); });
      co_await expect_error("given back", [&]() -> task<void> { co_await put(std::span(all), block); });
      // A block of the same size does not get that memory at once.
      auto const next = co_await at(p, [] { return allocate<long>(10); });
      EXPECT_NE(next, block);
      co_await at(p, [](global_ptr<long> b) { deallocate(b); }, next);
      std::string said;
      try {
        co_await at(p, [](global_ptr<long> b) { deallocate(b); }, block);
      } catch (std::exception const& e) {
        said = e.what();
      }
      EXPECT_TRUE(said.contains("not allocated")) << said;
    }
  });
}

TEST_P(checked_fabric, refuses_arrays_that_were_released) {
  run_here([]() -> task<void> {
    auto const a = co_await global_array<long>::make(1000);
    for (std::uint64_t i = 0; i < 1000; i += 37) co_await put(a[i], 5L);
    co_await global_array<long>::release(a);
    co_await expect_error("given back", [&]() -> task<void> { co_await get(a[0]); });
    co_await expect_error("given back", [&]() -> task<void> { co_await get(a[999]); });
    auto const b = co_await global_array<long>::make(1000);
    EXPECT_EQ(co_await get(b[999]), 0);
    co_await global_array<long>::release(b);
  });
}

// Memory that is kept from being used again is used before memory runs out.
TEST_P(checked_fabric, keeps_only_so_much) {
  run_here([]() -> task<void> {
    std::set<std::uint64_t> used;
    for (int i = 0; i < 200; ++i) {
      auto const block = allocate<std::byte>(std::size_t{1} << 20);
      used.insert(block.offset());
      deallocate(block);
    }
    EXPECT_GT(used.size(), 10U);
    EXPECT_LT(used.size(), 40U);
    co_return;
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, checked_fabric, testing::ValuesIn(checked_layouts), name_of);

}  // namespace
}  // namespace tess::test
