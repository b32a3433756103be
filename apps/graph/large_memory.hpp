// large_memory: arrays of many elements, on huge pages where the system has them. Looking up random elements then
// misses the TLB less, and filling an array faults once in 2 MiB.
//
// Errors    std::bad_alloc.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace graph {

// At least `bytes`, which give_large_memory() takes back with the same number.
[[nodiscard]] void* take_large_memory(std::size_t bytes);
void give_large_memory(void* memory, std::size_t bytes) noexcept;

template <class T>
struct large_allocator {
  using value_type = T;

  large_allocator() noexcept = default;
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): as allocators are required to be
  large_allocator(large_allocator<U> const&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > ~std::size_t{0} / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(take_large_memory(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept { give_large_memory(memory, count * sizeof(T)); }

  // resize(n) leaves elements as they are: who fills them touches their pages first.
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }

  bool operator==(large_allocator const&) const noexcept { return true; }
};

// Its resize(n) and its constructor of a size leave numbers without a value.
template <class T>
using large_vector = std::vector<T, large_allocator<T>>;

}  // namespace graph
