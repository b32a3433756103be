// owner_deque: a minimal Chase-Lev deque of fixed size: push and pop by the owner, steal by others.
//
//   The limit of a spawn whose tasks can be stolen must include the cost of this, although nothing is stolen in the
//   measurement. Sequentially consistent operations instead of fences: the same instructions on x86-64, and
//   ThreadSanitizer sees them.
//
// Threads   push(), pop(): the owner. steal(): any.
// Errors    The caller keeps the number of entries within Capacity.
// Source    Chase, Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005); orders after Lê et al. (PPoPP 2013).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bench {

template <class T, std::size_t Capacity>
  requires(std::atomic<T*>::is_always_lock_free && (Capacity & (Capacity - 1)) == 0)
class owner_deque {
 public:
  void push(T* entry) noexcept {
    std::int64_t const bottom = bottom_.load(std::memory_order_relaxed);
    slot(bottom).store(entry, std::memory_order_relaxed);
    // Pairs with the load of bottom_ in steal(): a thread that sees the index sees the entry.
    bottom_.store(bottom + 1, std::memory_order_release);
  }

  /// The entry pushed last, or null.
  [[nodiscard]] T* pop() noexcept {
    std::int64_t const bottom = bottom_.load(std::memory_order_relaxed) - 1;
    // Claim before looking at top_: a thief either sees the claim or has moved top_ where we see it. Both sides
    // seq_cst.
    bottom_.store(bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top < bottom) return slot(bottom).load(std::memory_order_relaxed);

    // The last entry, which thieves want as well, or none.
    T* last = nullptr;
    if (top == bottom && top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst)) {
      last = slot(bottom).load(std::memory_order_relaxed);
    }
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return last;
  }

  /// The entry pushed first; null if there is none or another thread was faster.
  [[nodiscard]] T* steal() noexcept {
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top >= bottom_.load(std::memory_order_seq_cst)) return nullptr;
    // Read before the exchange: afterwards the owner may reuse the slot.
    T* const first = slot(top).load(std::memory_order_relaxed);
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst) ? first : nullptr;
  }

 private:
  std::atomic<T*>& slot(std::int64_t index) noexcept {
    return slots_[static_cast<std::size_t>(index) & (Capacity - 1)];
  }

  // Owner and thieves write different lines.
  alignas(64) std::atomic<std::int64_t> bottom_ = 0;
  alignas(64) std::atomic<std::int64_t> top_ = 0;
  alignas(64) std::array<std::atomic<T*>, Capacity> slots_{};
};

}  // namespace bench
