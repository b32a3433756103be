// segment_left: the free bytes of this place's segment, with those that are only kept from being used again.
#pragma once

#include <cstdint>
#include <mutex>

#include "runtime/job/job.hpp"
#include "runtime/memory/heap.hpp"

namespace tess::test {

inline std::uint64_t segment_left_bytes() {
  detail::place_state& p = detail::this_place();
  std::lock_guard const lock(p.heaps.mutex);
  // A block of the heap has a line of 64 bytes in front.
  auto const& kept = p.heaps.own_released;
  return p.heaps.own->left_bytes() + kept.bytes + 64 * kept.offsets.size();
}

}  // namespace tess::test
