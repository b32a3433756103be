// arena: adjacent memory for small arrays that live as long as it does, as those of all routers of a network.
//
//   Each cycle visits the state of all routers, so it should fill as few cache lines as possible. Separate vectors are
//   scattered over the heap and cause about twice the misses under load (4x4 mesh, 32 KB).
//
// Cost      chunks that double from 1 KiB on; within one, an addition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace tess::machine {

class arena {
 public:
  /// A value-initialised array, placed behind the previous one. It lives as long as the arena.
  template <class T>
  [[nodiscard]] T* array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignof(std::max_align_t));
    auto* const first = static_cast<T*>(take(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(first, count);
    return first;
  }

 private:
  void* take(std::size_t bytes, std::size_t alignment) {
    used_ = (used_ + alignment - 1) / alignment * alignment;
    if (chunks_.empty() || used_ + bytes > size_) {
      size_ = std::max(2 * size_, std::max<std::size_t>(bytes, 1024));
      chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size_));  // NOLINT
      used_ = 0;
    }
    void* const taken = &chunks_.back()[used_];
    used_ += bytes;
    return taken;
  }

  std::vector<std::unique_ptr<std::byte[]>> chunks_;  // NOLINT
  std::size_t size_ = 0;                              ///< The last one's.
  std::size_t used_ = 0;
};

}  // namespace tess::machine
