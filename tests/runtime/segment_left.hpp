// segment_left: the free bytes of this place's segment, read under the lock of its heaps.
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
