// delay_line: word operations of a worker that may not complete before their time: who waits for one, in that order.
//
//   An operation on another place, under settings::delay. Its line is prefetched at the call, as always; its task then
//   parks here, and performs the operation when it is resumed, after its time. The clock is looked at once for many
//   operations: those parked since the latest look count from the next one, so none is too early, and one that is late
//   is so by the time in which its worker makes a dozen switches.
//
// Units    nanoseconds of the steady clock.
// Threads  the owning worker only.
// Cost     without jitter a store to park and one to come back, with jitter a binary heap; memory grows by doubling.
// Source   SoftXMT, "Crunching Large Graphs with Commodity Processors" (HotPar 2011), section 4.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "tess/detail/ring.hpp"

namespace tess::detail {

struct promise_base;

class delay_line {
 public:
  void set(std::uint64_t time_ns, std::uint64_t jitter_ns, std::uint64_t seed) {
    time_ = time_ns;
    jitter_ = jitter_ns;
    random_ = seed;
    look();
  }

  /// When a call is made, for park() and due(); of the latest look at the clock.
  [[nodiscard]] std::uint64_t called_now() const noexcept { return clock_; }

  /// An operation called then may complete. Only for calls that were not parked.
  [[nodiscard]] bool due(std::uint64_t called) noexcept {
    // Most are parked at once: nobody looked at the clock since.
    if (called == clock_) return false;
    if (called + time_ + jitter_ <= clock_) return true;
    look();
    return called + time_ + jitter_ <= clock_;
  }

  /// The task waits for an operation called then; so many others are ready to run meanwhile.
  void park(promise_base* task, std::uint64_t called, std::uint64_t others) noexcept {
    ++parked_;
    if (called == clock_) {
      waiting_.push(task);
      // Tasks that come together would stay together, and each wait for all; unless the worker is behind anyway.
      if (waiting_.position() + waiting_.size() - dated_to_ < std::max(parks_per_look, others)) return;
      look();
      date();
    } else {
      push_heap({called + time_ + jitter_, task});
    }
  }

  /// The task no longer waits; false if it did not. Looks at all that wait: for time-outs, not for every operation.
  [[nodiscard]] bool remove(promise_base const* task) noexcept {
    for (std::uint64_t i = 0; i < waiting_.size(); ++i)
      if (waiting_.ahead(i) == task) {
        waiting_.ahead(i) = nullptr;
        return true;
      }
    auto const found = std::ranges::find(heap_, task, &late::task);
    if (found == heap_.end()) return false;
    found->task = nullptr;
    return true;
  }

  [[nodiscard]] bool empty() const noexcept { return parked_ == 0; }

  /// Calls resume(task) for all whose time has come; false if there was none.
  template <class Resume>
  bool release(Resume resume) {
    if (parked_ == 0) return false;
    bool any = false;
    auto const wake = [&](promise_base* task) {
      --parked_;
      if (task == nullptr) return;
      any = true;
      resume(task);
    };
    look();
    date();
    while (!dated_.empty() && dated_.front().due <= clock_) {
      for (std::uint64_t const end = dated_.pop().end; waiting_.position() != end;) wake(waiting_.pop());
    }
    while (!heap_.empty() && heap_.front().due <= clock_) {
      promise_base* const task = heap_.front().task;
      std::ranges::pop_heap(heap_, later);
      heap_.pop_back();
      wake(task);
    }
    return any;
  }

  /// Time until the next one is due; 0 if it is. There must be one, and release() must have been called since.
  [[nodiscard]] std::uint64_t next_ns() noexcept {
    std::uint64_t next = ~std::uint64_t{0};
    if (!dated_.empty()) next = dated_.front().due;
    if (!heap_.empty()) next = std::min(next, heap_.front().due);
    look();
    return next > clock_ ? next - clock_ : 0;
  }

 private:
  struct stamp {
    std::uint64_t due = 0;
    std::uint64_t end = 0;  ///< position in waiting_ after the last that has this time
  };
  struct late {
    std::uint64_t due;
    promise_base* task;
  };
  static bool later(late const& a, late const& b) noexcept { return a.due > b.due; }

  void look() noexcept {
    clock_ = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
  }

  /// Those parked since the latest look get their time.
  void date() noexcept {
    std::uint64_t const end = waiting_.position() + waiting_.size();
    if (end == dated_to_) return;
    if (jitter_ == 0) {
      dated_.push({clock_ + time_, end});
    } else {
      while (!waiting_.empty()) push_heap({clock_ + time_ + draw(), waiting_.pop()});
    }
    dated_to_ = end;
  }

  void push_heap(late l) noexcept {
    try {
      heap_.push_back(l);
    } catch (std::bad_alloc const&) {
      no_memory_for("the operations that are delayed");
    }
    std::ranges::push_heap(heap_, later);
  }
  std::uint64_t draw() noexcept {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return (random_ >> 20) % (jitter_ + 1);
  }

  static constexpr std::uint64_t parks_per_look = 16;

  std::uint64_t clock_ = 0;
  std::uint64_t parked_ = 0;
  ring<promise_base*> waiting_;  ///< in the order of their calls; with jitter only those without a time
  std::uint64_t dated_to_ = 0;   ///< position in waiting_ up to which all have their time
  ring<stamp> dated_;
  std::vector<late> heap_;
  std::uint64_t time_ = 0;
  std::uint64_t jitter_ = 0;
  std::uint64_t random_ = 0;
};

}  // namespace tess::detail
