// overlap: a loop of word operations does each once, returns results in order, and does not starve other tasks.
#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class overlap_loops : public on_layouts {};

constexpr std::uint64_t size = 64;

TEST_P(overlap_loops, do_each_operation_once_and_take_results_in_order) {
  run_here([]() -> task<void> {
    auto const table = co_await global_array<std::uint64_t>::make(size);
    // Fewer than are on their way, as many, and more; a multiple of what is done together, and not.
    for (std::uint64_t const count : {0u, 1u, 7u, 8u, 9u, 31u, 64u, 1003u}) {
      for (std::uint64_t i = 0; i < size; ++i) co_await put(table[i], 0);
      std::uint64_t expected = 5;
      co_await overlap<8>(
          5, 5 + count, [=](std::uint64_t k) { return fetch_add(table[k * 7 % size], k); },
          [&](std::uint64_t k, std::uint64_t) { EXPECT_EQ(k, expected++); });
      EXPECT_EQ(expected, 5 + count);
      std::vector<std::uint64_t> sums(size);
      for (std::uint64_t k = 5; k < 5 + count; ++k) sums[k * 7 % size] += k;
      std::uint64_t seen = 0;
      co_await overlap<4>(
          0, size, [=](std::uint64_t k) { return get(table[k]); },
          [&](std::uint64_t k, std::uint64_t value) {
            EXPECT_EQ(value, sums[k]) << k << " of " << count;
            ++seen;
          });
      EXPECT_EQ(seen, size);
    }
    co_await global_array<std::uint64_t>::release(table);
  });
}

TEST_P(overlap_loops, put_by_turns_with_other_tasks) {
  run_here([]() -> task<void> {
    auto const table = co_await global_array<std::uint32_t>::make(size);
    std::atomic<bool> other_ran = false;
    co_await finish([&] {
      spawn([](std::atomic<bool>* ran) -> task<void> {
        co_await yield();
        *ran = true;
      }(&other_ran));
      spawn([](global_array<std::uint32_t> t, std::atomic<bool> const* ran) -> task<void> {
        bool seen = false;
        co_await overlap<2>(
            0, 100 * size, [=](std::uint64_t k) { return put(t[k % size], static_cast<std::uint32_t>(k)); },
            [&](std::uint64_t) { seen = seen || *ran; });
        // A second worker may take the other task, and its thread may have no processor meanwhile.
        EXPECT_TRUE(seen || workers() > 1);
      }(table, &other_ran));
    });
    for (std::uint64_t i = 0; i < size; ++i) EXPECT_EQ(co_await get(table[i]), 99 * size + i);
    co_await global_array<std::uint32_t>::release(table);
  });
}

struct spoiled {};

TEST_P(overlap_loops, end_with_the_exception_of_issue_or_take) {
  run_here([]() -> task<void> {
    auto const word = co_await at(static_cast<place_id>(places() - 1), [] { return allocate<std::uint64_t>(1); });
    co_await put(word, 0);
    auto const issue = [=](std::uint64_t k) {
      if (k == 50) throw spoiled();
      return fetch_add(word, 1);
    };
    std::uint64_t taken = 0;
    try {
      co_await overlap<16>(0, 100, issue, [&](std::uint64_t k, std::uint64_t) { taken = k + 1; });
      ADD_FAILURE() << "issue(50) throws";
    } catch (spoiled const&) {
    }
    EXPECT_LE(taken, 50u);
    try {
      co_await overlap<16>(
          0, 100, [=](std::uint64_t) { return fetch_add(word, 1); },
          [&](std::uint64_t k, std::uint64_t) {
            if (k == 20) throw spoiled();
          });
      ADD_FAILURE() << "take(20) throws";
    } catch (spoiled const&) {
    }
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, overlap_loops, testing::ValuesIn(few_layouts()), name_of);

}  // namespace
}  // namespace tess::test
