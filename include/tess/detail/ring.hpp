// ring: the private ring of a worker's resumable tasks; first in, first out, grows by doubling.
//
// Threads  the owning worker only.
// Cost     push and pop are a load, a store and an addition; growing copies (amortised).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tess::detail {

template <class T>
class ring {
 public:
  ring() : items_(std::make_unique<T[]>(initial)), mask_(initial - 1) {}

  [[nodiscard]] bool empty() const noexcept { return head_ == tail_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return tail_ - head_; }

  void push(T item) {
    if (tail_ - head_ > mask_) [[unlikely]]
      grow();
    items_[tail_++ & mask_] = item;
  }
  /// The oldest item; the ring must not be empty.
  T pop() noexcept { return items_[head_++ & mask_]; }
  /// The item `ahead` places behind the oldest: for prefetching, so a stale answer past the tail is fine.
  [[nodiscard]] T peek(std::uint64_t ahead) const noexcept { return items_[(head_ + ahead) & mask_]; }

 private:
  static constexpr std::uint64_t initial = 64;

  [[gnu::noinline, gnu::cold]] void grow() {
    std::uint64_t const count = tail_ - head_;
    auto larger = std::make_unique<T[]>(2 * (mask_ + 1));
    for (std::uint64_t i = 0; i < count; ++i) larger[i] = items_[(head_ + i) & mask_];
    items_ = std::move(larger);
    mask_ = 2 * (mask_ + 1) - 1;
    head_ = 0;
    tail_ = count;
  }

  std::unique_ptr<T[]> items_;
  std::uint64_t mask_;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
};

}  // namespace tess::detail
