// state: the heaps of a place, which share its segment.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "runtime/memory/heap.hpp"

namespace tess::detail {

struct place_heaps {
  std::mutex mutex;
  std::unique_ptr<heap> own;         ///< the upper half of the segment
  std::unique_ptr<heap> symmetric;   ///< the lower half; at place 0 only
  std::uint64_t symmetric_used = 0;  ///< offsets below may have been written
};

}  // namespace tess::detail
