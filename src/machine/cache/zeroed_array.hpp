// zeroed_array: an array of zeros, aligned to the host's cache lines; the host allocates only pages that are used.
//
// Cost      one allocation; untouched pages take no memory.
// Errors    std::bad_alloc.
// Threads   one.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "machine/kernel/fixed_heap.hpp"

namespace tess::machine {

template <class T>
class zeroed_array {
  static_assert(std::is_aggregate_v<T> || std::is_scalar_v<T>);
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit zeroed_array(std::size_t size)
      : taken_(take(size * sizeof(T) + host_line), freed{size * sizeof(T) + host_line}) {
    if (taken_ == nullptr) throw std::bad_alloc();
    void* begin = taken_.get();
    std::size_t room = size * sizeof(T) + host_line;
    // calloc makes the objects, all zero, and so do new pages.
    values_ = static_cast<T*>(std::align(host_line, size * sizeof(T), begin, room));
  }

  [[nodiscard]] T& operator[](std::size_t i) noexcept { return values_[i]; }
  [[nodiscard]] T const& operator[](std::size_t i) const noexcept { return values_[i]; }
  [[nodiscard]] T* data() noexcept { return values_; }
  [[nodiscard]] T const* data() const noexcept { return values_; }

 private:
  static constexpr std::size_t host_line = 64;
  static void* take(std::size_t bytes) {
    return fixed_heap::active() ? fixed_heap::take_pages(bytes) : std::calloc(bytes, 1);
  }
  struct freed {
    std::size_t bytes;
    void operator()(void* taken) const noexcept {
      if (fixed_heap::holds(taken)) return fixed_heap::give_pages(taken, bytes);
      std::free(taken);
    }
  };

  std::unique_ptr<void, freed> taken_;
  T* values_;
};

}  // namespace tess::machine
