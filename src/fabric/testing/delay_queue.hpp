// delay_queue: items that become due at a given time: a FIFO if all wait equally long, otherwise a heap.
//
// Units    nanoseconds of the steady clock.
// Threads  one at a time; but next_due() any.
// Cost     without jitter as a ring; with it O(log n). Allocates only to grow, by doubling.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "tess/delay.hpp"
#include "tess/detail/tasks/ring.hpp"

namespace tess::detail {

inline std::uint64_t nanoseconds_now() noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

template <class T>
class delay_queue {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  delay_queue(delay const& longer, std::uint64_t seed)
      : time_(static_cast<std::uint64_t>(longer.time.count())),
        jitter_(static_cast<std::uint64_t>(longer.jitter.count())),
        random_(seed) {}

  void push(T item) {
    std::uint64_t const due = nanoseconds_now() + time_ + draw();
    if (jitter_ == 0) {
      fifo_.push({due, std::move(item)});
    } else {
      heap_.push_back({due, std::move(item)});
      std::ranges::push_heap(heap_, later);
    }
    announce();
  }

  /// Takes the next item if it is due now.
  bool pop(std::uint64_t now, T& item) {
    if (next_due() > now) return false;
    if (jitter_ == 0) {
      item = std::move(fifo_.pop().item);
    } else {
      std::ranges::pop_heap(heap_, later);
      item = std::move(heap_.back().item);
      heap_.pop_back();
    }
    announce();
    return true;
  }

  /// When the next item is due; `never` if there is none. Sequentially consistent, for a thread about to sleep.
  [[nodiscard]] std::uint64_t next_due() const noexcept { return next_due_.load(std::memory_order_seq_cst); }
  [[nodiscard]] std::size_t size() const noexcept { return jitter_ == 0 ? fifo_.size() : heap_.size(); }

 private:
  struct timed {
    std::uint64_t due = 0;
    T item{};
  };
  static bool later(timed const& a, timed const& b) noexcept { return a.due > b.due; }

  std::uint64_t draw() noexcept {
    if (jitter_ == 0) return 0;
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return (random_ >> 20) % (jitter_ + 1);
  }

  void announce() noexcept {
    std::uint64_t next = never;
    if (!fifo_.empty()) next = fifo_.front().due;
    if (!heap_.empty()) next = heap_.front().due;
    next_due_.store(next, std::memory_order_seq_cst);
  }

  std::uint64_t time_;
  std::uint64_t jitter_;
  std::uint64_t random_;
  ring<timed> fifo_;
  std::vector<timed> heap_;
  std::atomic<std::uint64_t> next_due_{never};
};

}  // namespace tess::detail
