// arena: adjacent memory for the small arrays of all routers and nodes of a network.
//
//   Each cycle visits the state of all routers, so it should fill as few cache lines as possible. Separate vectors are
//   scattered over the heap and cause about twice the misses under load (4x4 mesh, 32 KB).
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>

namespace tess::machine {

class arena {
 public:
  /// A value-initialised array, placed behind the previous one. It lives as long as the arena.
  template <class T>
  [[nodiscard]] T* array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    auto* const first = static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(first, count);
    return first;
  }

 private:
  std::pmr::monotonic_buffer_resource memory_;
};

}  // namespace tess::machine
