// raw_gups: fetch_add with a prefetch 32 updates ahead.
//
// The prefetch is for writing, which the baseline instruction set ignores. Measured, and no faster: prefetchw, and four
// updates in a row.
#include "limits/raw_gups.hpp"

#include <array>
#include <atomic>

#include "harness/pin.hpp"

namespace bench {
namespace {

constexpr double million = 1e6;

void update(std::uint64_t* table, std::size_t words, std::uint64_t updates, int rank) noexcept {
  // Numbers that are drawn and prefetched but not yet used, so that each is computed once.
  std::array<std::size_t, gups_prefetch_distance> ahead{};
  for (std::uint64_t k = 0; k < gups_prefetch_distance; ++k) {
    ahead[k] = gups_word(rank, k, words);
    __builtin_prefetch(&table[ahead[k]], 1);
  }
  for (std::uint64_t k = 0; k < updates; ++k) {
    std::size_t& turn = ahead[k % gups_prefetch_distance];
    std::size_t const now = turn;
    turn = gups_word(rank, k + gups_prefetch_distance, words);
    __builtin_prefetch(&table[turn], 1);
    std::atomic_ref<std::uint64_t>(table[now]).fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace

double raw_gups(std::uint64_t* table, std::size_t words, std::uint64_t updates, int threads) {
  std::uint64_t const share = updates / static_cast<std::uint64_t>(threads);
  double const seconds = team_seconds(threads, [&](int rank) { update(table, words, share, rank); });
  return static_cast<double>(share) * threads / seconds / million;
}

}  // namespace bench
