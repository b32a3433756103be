// deque: Chase-Lev work-stealing deque of tasks not yet started.
//
//   The owner pushes and pops at the bottom (newest first, so that a task tree is walked depth first), thieves take
//   from the top (oldest first: the largest pieces). A deque that nobody may steal from (one worker a place) skips the
//   ordering that only thieves need.
//
// Threads  push, pop: the owner. steal, empty: any.
// Source   D. Chase, Y. Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005); orderings as in N. M. Le et al.,
//          "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013), fences folded into seq_cst
//          operations because ThreadSanitizer does not model fences.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "tess/detail/platform.hpp"

namespace tess::detail {

template <class T>
class deque {
 public:
  explicit deque(bool shared) : shared_(shared) { adopt(64); }

  [[nodiscard]] bool empty() const noexcept { return size() <= 0; }
  /// Exact for the owner while nobody steals; otherwise a snapshot.
  [[nodiscard]] std::int64_t size() const noexcept {
    return bottom_.load(std::memory_order_relaxed) - top_.load(std::memory_order_relaxed);
  }

  void push(T item) {
    std::int64_t const b = bottom_.load(std::memory_order_relaxed);
    // acquire: pairs with the compare-exchange of steal, so that a slot is reused only after it was read.
    std::int64_t const t = top_.load(std::memory_order_acquire);
    block* a = block_.load(std::memory_order_relaxed);
    if (b - t > a->mask) [[unlikely]]
      a = grow(a, t, b);
    a->at(b).store(item, std::memory_order_relaxed);
    // release: a thief that sees the new bottom sees the item and what it points to.
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
    // seq_cst store and load: a thief must not miss the lowered bottom while we miss its raised top.
    bottom_.store(b, std::memory_order_seq_cst);
    std::int64_t t = top_.load(std::memory_order_seq_cst);
    T item{};
    if (t <= b) {
      item = a->at(b).load(std::memory_order_relaxed);
      if (t != b) return item;
      // The last item: whoever moves top has it.
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
    explicit block(std::int64_t capacity)
        : mask(capacity - 1), items(std::make_unique<std::atomic<T>[]>(static_cast<std::size_t>(capacity))) {}
    std::atomic<T>& at(std::int64_t i) const noexcept { return items[static_cast<std::size_t>(i & mask)]; }
    std::int64_t mask;
    std::unique_ptr<std::atomic<T>[]> items;
  };

  block* adopt(std::int64_t capacity) {
    blocks_.push_back(std::make_unique<block>(capacity));
    block_.store(blocks_.back().get(), std::memory_order_release);
    return blocks_.back().get();
  }

  [[gnu::noinline, gnu::cold]] block* grow(block* old, std::int64_t t, std::int64_t b) {
    auto larger = std::make_unique<block>(2 * (old->mask + 1));
    for (std::int64_t i = t; i < b; ++i)
      larger->at(i).store(old->at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
    // Old blocks stay: a thief may still read one. Doubling bounds them to as much again.
    blocks_.push_back(std::move(larger));
    block_.store(blocks_.back().get(), std::memory_order_release);
    return blocks_.back().get();
  }

  alignas(cache_line) std::atomic<std::int64_t> top_{0};
  alignas(cache_line) std::atomic<std::int64_t> bottom_{0};
  std::atomic<block*> block_{nullptr};
  bool shared_;
  std::vector<std::unique_ptr<block>> blocks_;
};

}  // namespace tess::detail
