// deque: a work-stealing deque of tasks not yet started, whose newest items may be its owner's alone.
//
//   The owner pushes and pops at the bottom (newest first, so that a task tree is walked depth first), thieves take
//   from the top (oldest first: the largest pieces). Items from the top to the split are public: taking one of them
//   costs the owner a locked instruction. Items from the split to the bottom are private, and cost none. The owner
//   publishes the oldest of them when there are too many, and takes public items back when it has no others. A thief
//   that finds private items only asks for some, and the owner's next push publishes them.
//
//   Why nobody takes an item twice: an item leaves the public part by a compare-exchange of top, or because the owner
//   moved the split down below it while top was lower still. A thief that takes it later has read that top after the
//   owner did, so it reads the new split, too.
//
// Threads  push, pop, take_oldest, keep, size: the owner. steal, has_public, empty: any.
// Source   D. Chase, Y. Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005), for the public part; orderings as in
//          N. M. Le et al., "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013), fences folded
//          into seq_cst operations because ThreadSanitizer does not model fences. The split: T. van Dijk, J. van de
//          Pol, "Lace: Non-blocking Split Deque for Work-Stealing" (MuCoCoS 2014).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tess/detail/platform.hpp"

namespace tess::detail {

/// For items that others may see without preparation.
struct share_nothing {
  template <class T>
  void operator()(T const&) const noexcept {}
};

/// Share is called for each item before it becomes public.
template <class T, class Share = share_nothing>
class deque {
 public:
  /// Not shared: nobody steals, and all items are private.
  explicit deque(bool shared) : block_(new block(64, nullptr)), shared_(shared) { set_limit(); }
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
  /// True if a thief finds something.
  [[nodiscard]] bool has_public() const noexcept {
    // seq_cst: pairs with publish(), for a thread that has just announced its sleep.
    return split_.load(std::memory_order_seq_cst) > top_.load(std::memory_order_relaxed);
  }

  void push(T item) {
    if (!push_private(item)) push_slowly(item);
  }
  /// The same if that takes a few instructions. False: nothing was pushed.
  [[nodiscard, gnu::always_inline]] bool push_private(T item) noexcept {
    std::int64_t const b = bottom_.load(std::memory_order_relaxed);
    if (b >= limit_.load(std::memory_order_relaxed)) [[unlikely]]
      return false;
    block_.load(std::memory_order_relaxed)->at(b).store(item, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_relaxed);
    return true;
  }

  /// The newest item, or T{} if there is none.
  [[gnu::always_inline]] T pop() noexcept {
    T const item = pop_private();
    return item ? item : pop_slowly();
  }
  [[gnu::noinline]] T pop_slowly() noexcept {
    std::int64_t const b = bottom_.load(std::memory_order_relaxed) - 1;
    if (b < split_.load(std::memory_order_relaxed) && !take_back()) return take_oldest();
    T const item = take_newest(b);
    publish_surplus(b);
    return item;
  }
  /// The same if that takes a few instructions; T{} if there is none, or if there is more to do.
  [[nodiscard, gnu::always_inline]] T pop_private() noexcept {
    std::int64_t const b = bottom_.load(std::memory_order_relaxed) - 1;
    if (b < split_.load(std::memory_order_relaxed) || b >= limit_.load(std::memory_order_relaxed)) [[unlikely]]
      return T{};
    return take_newest(b);
  }

  /// The oldest item, or T{} if there is none or another took it first.
  T steal() noexcept {
    std::int64_t t = top_.load(std::memory_order_seq_cst);
    std::int64_t const s = split_.load(std::memory_order_seq_cst);
    if (t >= s) {
      if (bottom_.load(std::memory_order_relaxed) > s) limit_.store(asked, std::memory_order_relaxed);
      return T{};
    }
    T const item = block_.load(std::memory_order_acquire)->at(t).load(std::memory_order_relaxed);
    if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) return T{};
    return item;
  }

  /// The owner's way to take the oldest item, or T{} if there is none.
  T take_oldest() noexcept {
    publish(std::min(bottom_.load(std::memory_order_relaxed), top_.load(std::memory_order_relaxed) + 1));
    for (;;) {
      if (T const item = steal()) return item;
      if (!has_public()) return T{};
    }
  }

  /// How many of the newest items may stay private, until a thief asks.
  void keep(std::int64_t items) noexcept {
    if (!shared_) return;
    keep_ = items;
    publish_surplus(bottom_.load(std::memory_order_relaxed));
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

  /// In place of a limit, by a thief that found private items only.
  static constexpr std::int64_t asked = -1;
  static constexpr std::int64_t kept_if_asked = 1;
  static constexpr std::int64_t taken_back_max = 8;
  /// A deque that is not shared shows the owner now and then how much it holds.
  static constexpr std::int64_t private_max = 1024;

  [[gnu::always_inline]] T take_newest(std::int64_t b) noexcept {
    T const item = block_.load(std::memory_order_relaxed)->at(b).load(std::memory_order_relaxed);
    bottom_.store(b, std::memory_order_relaxed);
    return item;
  }

  void push_slowly(T item) {
    std::int64_t const b = bottom_.load(std::memory_order_relaxed);
    // acquire: pairs with the compare-exchange of steal, so that a slot is reused only after it has been read.
    std::int64_t const t = top_.load(std::memory_order_acquire);
    block* a = block_.load(std::memory_order_relaxed);
    if (b - t > a->mask) a = grow(a, t, b);
    a->at(b).store(item, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_relaxed);
    publish_surplus(b + 1);
  }

  /// Publishes what is more than may be private; half of that stays, so that the next push need not publish again.
  void publish_surplus(std::int64_t bottom) noexcept {
    bool const was_asked = limit_.load(std::memory_order_relaxed) == asked;
    std::int64_t const stay = was_asked ? std::min(keep_, kept_if_asked) : keep_;
    if (shared_ && bottom - split_.load(std::memory_order_relaxed) > stay) publish(bottom - (stay + 1) / 2);
    set_limit();
  }
  void publish(std::int64_t to) noexcept {
    std::int64_t const from = split_.load(std::memory_order_relaxed);
    if (to <= from) return;
    block* const a = block_.load(std::memory_order_relaxed);
    for (std::int64_t i = from; i < to; ++i) Share{}(a->at(i).load(std::memory_order_relaxed));
    // release: a thief that sees the new split also sees the items and what they point to. seq_cst: either the owner,
    // which looks for sleeping threads next, sees one, or that thread sees the new split.
    split_.store(to, std::memory_order_seq_cst);
  }

  /// Makes the newest public items private, about half of them. False: at most one is left, which a thief may take.
  bool take_back() noexcept {
    std::int64_t const s = split_.load(std::memory_order_relaxed);
    std::int64_t const left = s - top_.load(std::memory_order_relaxed);
    if (left <= 1) return false;
    std::int64_t const to = s - (keep_ == 0 ? 1 : std::min(left / 2, taken_back_max));
    // seq_cst store and load: either a thief sees the lower split, or this sees the thief's raised top.
    split_.store(to, std::memory_order_seq_cst);
    if (top_.load(std::memory_order_seq_cst) < to) return true;
    split_.store(s, std::memory_order_release);
    return false;
  }

  /// Up to here the owner pushes and pops without looking at anything else.
  void set_limit() noexcept {
    std::int64_t const t = top_.load(std::memory_order_acquire);
    std::int64_t const room = t + block_.load(std::memory_order_relaxed)->mask + 1;
    std::int64_t const may = shared_ ? split_.load(std::memory_order_relaxed) + keep_ : t + private_max;
    limit_.store(std::min(room, may), std::memory_order_relaxed);
  }

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
  std::atomic<std::int64_t> split_{0};
  std::atomic<std::int64_t> limit_{0};
  std::atomic<block*> block_;
  std::int64_t keep_ = 0;
  bool shared_;
};

}  // namespace tess::detail
