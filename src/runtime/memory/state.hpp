// state: the heaps of a place, which share its segment.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "runtime/memory/heap.hpp"

namespace tess::detail {

/// Blocks that were given back in a job that verifies accesses, and are kept from being used again for a while.
struct released_blocks {
  static constexpr std::uint64_t bytes_max = std::uint64_t{16} << 20;

  std::deque<std::uint64_t> offsets;  ///< the oldest first
  std::unordered_set<std::uint64_t> known;
  std::uint64_t bytes = 0;
};

/// What ended in a collected heap, since its last collection.
using dead_blocks = std::vector<std::uint64_t>;  // offsets

struct place_heaps {
  std::mutex mutex;
  std::unique_ptr<heap> own;        ///< the upper half of the segment
  std::unique_ptr<heap> symmetric;  ///< the lower half; at place 0 only
  released_blocks own_released;
  dead_blocks own_dead;
  released_blocks symmetric_released;
  std::uint64_t symmetric_used = 0;  ///< offsets below may have been written
};

}  // namespace tess::detail
