// raw_gups: fetch_add with a prefetch 32 updates ahead.
//
// The prefetch is for writing, which the baseline instruction set ignores; prefetchw was measured and is no faster.
#include "limits/raw_gups.hpp"

#include <array>
#include <atomic>

#include "harness/pin.hpp"

namespace bench {
namespace {

constexpr double million = 1e6;

// A locked addition holds up the loads after it, and so their prefetches: that many updates are done in a row.
constexpr std::uint64_t row = 4;
static_assert(gups_prefetch_distance % row == 0);

void update(std::uint64_t* table, std::size_t words, std::uint64_t updates, int rank) noexcept {
  // Numbers that are drawn and prefetched but not yet used, so that each is computed once.
  std::array<std::size_t, gups_prefetch_distance> ahead{};
  for (std::uint64_t k = 0; k < gups_prefetch_distance; ++k) {
    ahead[k] = gups_word(rank, k, words);
    __builtin_prefetch(&table[ahead[k]], 1);
  }
  auto const add = [&](std::size_t word) {
    std::atomic_ref<std::uint64_t>(table[word]).fetch_add(1, std::memory_order_relaxed);
  };
  std::uint64_t k = 0;
  for (; k + row <= updates; k += row) {
    std::size_t* const turns = &ahead[k % gups_prefetch_distance];
    std::array<std::size_t, row> now{};
    for (std::uint64_t j = 0; j < row; ++j) {
      now[j] = turns[j];
      turns[j] = gups_word(rank, k + j + gups_prefetch_distance, words);
      __builtin_prefetch(&table[turns[j]], 1);
    }
    for (std::size_t const word : now) add(word);
  }
  for (; k < updates; ++k) add(ahead[k % gups_prefetch_distance]);
}

}  // namespace

double raw_gups(std::uint64_t* table, std::size_t words, std::uint64_t updates, int threads) {
  std::uint64_t const share = updates / static_cast<std::uint64_t>(threads);
  double const seconds = team_seconds(threads, [&](int rank) { update(table, words, share, rank); });
  return static_cast<double>(share) * threads / seconds / million;
}

}  // namespace bench
