// segment_left: the free bytes of this place's segment, with those that are only kept from being used again.
#pragma once

#include <cstdint>
#include <mutex>

#include "runtime/job/job.hpp"
#include "runtime/memory/heap.hpp"

namespace tess::test {

inline std::uint64_t left_bytes(detail::heap const& heap, detail::released_blocks const& kept) {
  // A block of the heap has a line of 64 bytes in front.
  return heap.left_bytes() + kept.bytes + 64 * kept.offsets.size();
}

inline std::uint64_t segment_left_bytes() {
  detail::place_heaps& heaps = detail::this_place().heaps;
  std::lock_guard const lock(heaps.mutex);
  return left_bytes(*heaps.own, heaps.own_released);
}

/// The same, of the heap that all places share. For place 0.
inline std::uint64_t symmetric_left_bytes() {
  detail::place_heaps& heaps = detail::this_place().heaps;
  std::lock_guard const lock(heaps.mutex);
  return left_bytes(*heaps.symmetric, heaps.symmetric_released);
}

}  // namespace tess::test
