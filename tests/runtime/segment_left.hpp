// segment_left: what this place's segment has left, read as the allocator writes it: under the place's lock.
#pragma once

#include <cstdint>
#include <mutex>

#include "runtime/job/job.hpp"
#include "runtime/memory/heap.hpp"

namespace tess::test {

inline std::uint64_t segment_left_bytes() {
  detail::place_state& p = detail::this_place();
  std::lock_guard const lock(p.heaps.mutex);
  return p.heaps.own->left_bytes();
}

}  // namespace tess::test
