// slots: the items of a queue: a power of two of them, each padded to a power of two, so that small ones do not
// straddle cache lines.
//
// Threads  under the queue's lock.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tess::detail {

template <class T, std::size_t Slots>
class slots {
  static_assert(std::has_single_bit(Slots) && Slots <= (std::size_t{1} << 31), "the slots of a queue: a power of two");

 public:
  [[nodiscard]] bool put(T const& item) noexcept {
    if (tail_ - head_ == Slots) return false;
    items_[tail_++ % Slots].value = item;
    return true;
  }
  [[nodiscard]] bool take(T& item) noexcept {
    if (tail_ == head_) return false;
    item = items_[head_++ % Slots].value;
    return true;
  }
  [[nodiscard]] bool empty() const noexcept { return tail_ == head_; }

 private:
  struct alignas(std::bit_ceil(sizeof(T)) < 64 ? std::bit_ceil(sizeof(T)) : alignof(T)) slot {
    T value;
  };
  std::uint32_t head_ = 0;  ///< items ever taken
  std::uint32_t tail_ = 0;  ///< items ever put
  slot items_[Slots];
};

}  // namespace tess::detail
