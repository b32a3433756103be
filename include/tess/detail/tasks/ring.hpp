// ring: a worker's private ring of resumable tasks; first in, first out; grows by doubling.
//
// Threads  the owning worker only.
// Cost     push and pop are a load, a store and an addition; growing copies (amortised).
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "tess/assert.hpp"

namespace tess::detail {

template <class T>
class ring {
 public:
  ring() : items_(new T[initial]{}), mask_(initial - 1) {}
  ~ring() { delete[] items_; }
  ring(ring const&) = delete;
  ring& operator=(ring const&) = delete;

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::uint64_t size() const noexcept { return count_; }
  /// How many items have left the ring so far.
  [[nodiscard]] std::uint64_t position() const noexcept { return head_; }

  void push(T item) {
    // One slot stays free, which rotate() relies on.
    if (count_ >= mask_) [[unlikely]]
      grow();
    items_[(head_ + count_++) & mask_] = std::move(item);
  }
  /// push(item), then pop(), combined and without a branch; returns `item` itself if the ring was empty.
  [[gnu::always_inline]] T rotate(T item) noexcept {
    T* const items = items_;
    std::uint64_t const head = head_;
    std::uint64_t const mask = mask_;
    items[(head + count_) & mask] = item;
    head_ = head + 1;
    return items[head & mask];
  }
  /// The oldest item; the ring must not be empty.
  T pop() noexcept {
    --count_;
    return std::move(items_[head_++ & mask_]);
  }
  /// The item that pop() returns after `i` others; an old item or none if there are fewer.
  [[nodiscard]] T& ahead(std::uint64_t i) noexcept { return items_[(head_ + i) & mask_]; }
  [[nodiscard]] T const& ahead(std::uint64_t i) const noexcept { return items_[(head_ + i) & mask_]; }
  [[nodiscard]] T const& front() const noexcept { return items_[head_ & mask_]; }

 private:
  static constexpr std::uint64_t initial = 64;

  /// Tasks are pushed where failure is not allowed.
  [[gnu::noinline, gnu::cold]] void grow() noexcept {
    T* const larger = new (std::nothrow) T[2 * (mask_ + 1)];
    if (larger == nullptr) no_memory_for("the tasks that can run");
    for (std::uint64_t i = 0; i < count_; ++i)
      larger[(head_ + i) & (2 * mask_ + 1)] = std::move(items_[(head_ + i) & mask_]);
    delete[] items_;
    items_ = larger;
    mask_ = 2 * (mask_ + 1) - 1;
  }

  T* items_;
  std::uint64_t mask_;
  std::uint64_t head_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace tess::detail
