// deque: Chase-Lev work-stealing deque of tasks not yet started.
//
//   The owner pushes and pops at the bottom (newest first, so that a task tree is walked depth first), thieves take
//   from the top (oldest first: the largest pieces). A deque without thieves (one worker per place) skips the
//   ordering that only thieves need.
//
// Threads  push, pop: the owner. steal, empty: any.
// Source   D. Chase, Y. Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005); orderings as in N. M. Le et al.,
//          "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013), fences folded into seq_cst
//          operations because ThreadSanitizer does not model fences.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tess/detail/platform.hpp"

namespace tess::detail {

template <class T>
class deque {
 public:
  explicit deque(bool shared) : block_(new block(64, nullptr)), shared_(shared) {}
  ~deque() {
    for (block* b = block_.load(std::memory_order_relaxed); b != nullptr;) delete std::exchange(b, b->smaller);
  }
  deque(deque const&) = delete;
  deque& operator=(deque const&) = delete;

  [[nodiscard]] bool empty() const noexcept { return size() <= 0; }
  /// Exact for the owner if no other worker steals; otherwise a snapshot.
  [[nodiscard]] std::int64_t size() const noexcept {
    return bottom_.load(std::memory_order_relaxed) - top_.load(std::memory_order_relaxed);
  }

  void push(T item) {
    std::int64_t const b = bottom_.load(std::memory_order_relaxed);
    // acquire: pairs with the compare-exchange of steal, so that a slot is reused only after it has been read.
    std::int64_t const t = top_.load(std::memory_order_acquire);
    block* a = block_.load(std::memory_order_relaxed);
    if (b - t > a->mask) [[unlikely]]
      a = grow(a, t, b);
    a->at(b).store(item, std::memory_order_relaxed);
    // release: a thief that sees the new bottom also sees the item and what it points to.
    bottom_.store(b + 1, std::memory_order_release);
  }

  /// The newest item, or T{} if there is none.
  T pop() noexcept {
    std::int64_t const b = bottom_.load(std::memory_order_relaxed) - 1;
    block* const a = block_.load(std::memory_order_relaxed);
    if (!shared_) {
      if (b < top_.load(std::memory_order_relaxed)) return T{};
      bottom_.store(b, std::memory_order_relaxed);
      return a->at(b).load(std::memory_order_relaxed);
    }
    // seq_cst store and load: either a thief sees the lowered bottom, or this sees the thief's raised top.
    bottom_.store(b, std::memory_order_seq_cst);
    std::int64_t t = top_.load(std::memory_order_seq_cst);
    T item{};
    if (t <= b) {
      item = a->at(b).load(std::memory_order_relaxed);
      if (t != b) return item;
      // The last item: the party that moves top gets it.
      if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) item = T{};
    }
    bottom_.store(b + 1, std::memory_order_relaxed);
    return item;
  }

  /// The oldest item, or T{} if there is none or another took it first.
  T steal() noexcept {
    std::int64_t t = top_.load(std::memory_order_seq_cst);
    std::int64_t const b = bottom_.load(std::memory_order_seq_cst);
    if (t >= b) return T{};
    T const item = block_.load(std::memory_order_acquire)->at(t).load(std::memory_order_relaxed);
    if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) return T{};
    return item;
  }

 private:
  struct block {
    block(std::int64_t capacity, block* s)
        : smaller(s), mask(capacity - 1), items(new std::atomic<T>[static_cast<std::size_t>(capacity)] {}) {}
    ~block() { delete[] items; }
    block(block const&) = delete;
    block& operator=(block const&) = delete;
    std::atomic<T>& at(std::int64_t i) const noexcept { return items[static_cast<std::size_t>(i & mask)]; }
    block* smaller;  ///< the block that this one replaced
    std::int64_t mask;
    std::atomic<T>* items;
  };

  [[gnu::noinline, gnu::cold]] block* grow(block* old, std::int64_t t, std::int64_t b) {
    // Old blocks stay: a thief may still read one. Doubling bounds their total by the size of the current one.
    auto* const larger = new block(2 * (old->mask + 1), old);
    for (std::int64_t i = t; i < b; ++i)
      larger->at(i).store(old->at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
    block_.store(larger, std::memory_order_release);
    return larger;
  }

  alignas(cache_line) std::atomic<std::int64_t> top_{0};
  alignas(cache_line) std::atomic<std::int64_t> bottom_{0};
  std::atomic<block*> block_;
  bool shared_;
};

}  // namespace tess::detail
