// raw_gups: random updates of a table by all cores, at the rate that memory and coherence allow.
//
//   A plain loop of atomic additions is not the limit: prefetching 32 updates ahead about doubles it.
//
// Threads   starts `threads` pinned ones itself.
// Units     million updates per second, all threads together, from the first start to the last end.
// Source    RandomAccess of the HPC Challenge, with fetch_add of 1 in place of xor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/splitmix.hpp"

namespace bench {

inline constexpr std::uint64_t gups_prefetch_distance = 32;

/// Target word of update k of a rank, in the same stream as ours. `words` is a power of two.
[[nodiscard]] constexpr std::size_t gups_word(int rank, std::uint64_t k, std::size_t words) noexcept {
  // Seeds far apart: stream r + 1 begins 2^32 numbers after stream r.
  std::uint64_t const first = static_cast<std::uint64_t>(rank) << 32U;
  return static_cast<std::size_t>(splitmix(0, first + k)) & (words - 1);
}

/// `updates` in total, distributed equally over the threads.
[[nodiscard]] double raw_gups(std::uint64_t* table, std::size_t words, std::uint64_t updates, int threads);

}  // namespace bench
