// raw_gups: fetch_add with a prefetch 32 updates ahead.
#include "limits/raw_gups.hpp"

#include <array>
#include <atomic>

#include "harness/pin.hpp"

namespace bench {
namespace {

constexpr double million = 1e6;

/// Fetches the line for writing: a line fetched for reading would be asked for a second time by the update.
inline void prefetch_for_write(std::uint64_t* word) noexcept {
#if defined(__x86_64__)
  // __builtin_prefetch gives prefetchw only when built for machines newer than the baseline; older ones execute it as a
  // nop.
  asm volatile("prefetchw %0" : : "m"(*word));
#else
  __builtin_prefetch(word, 1);
#endif
}

void update(std::uint64_t* table, std::size_t words, std::uint64_t updates, int rank) noexcept {
  // Numbers drawn and prefetched, not yet used: each is computed once.
  std::array<std::size_t, gups_prefetch_distance> ahead{};
  for (std::uint64_t k = 0; k < gups_prefetch_distance; ++k) {
    ahead[k] = gups_word(rank, k, words);
    prefetch_for_write(&table[ahead[k]]);
  }
  for (std::uint64_t k = 0; k < updates; ++k) {
    std::size_t& turn = ahead[k % gups_prefetch_distance];
    std::size_t const now = turn;
    turn = gups_word(rank, k + gups_prefetch_distance, words);
    prefetch_for_write(&table[turn]);
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
