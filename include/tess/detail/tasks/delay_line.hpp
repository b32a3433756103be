// delay_line: word operations of a worker that must not complete before their time, in the order of that time.
//
//   A remote operation under settings::delay prefetches its cache line at the call, as always. Its task then
//   parks here, and performs the operation when it is resumed, after its time. The clock is read once for many
//   operations: those parked since the last reading count from the next one, so none completes too early, and none is
//   late by more than the time in which its worker makes a dozen switches.
//
// Units    nanoseconds of the steady clock.
// Threads  the owning worker only.
// Cost     without jitter a store to park and one to resume; with jitter a binary heap; memory grows by doubling.
// Source   SoftXMT, "Crunching Large Graphs with Commodity Processors" (HotPar 2011), section 4.
#pragma once

#include <cstdint>
#include <vector>

#include "tess/detail/tasks/ring.hpp"

namespace tess::detail {

struct promise_base;

class delay_line {
 public:
  void set(std::uint64_t time_ns, std::uint64_t jitter_ns, std::uint64_t seed);

  /// The time of a call, for park() and due(): the last reading of the clock.
  [[nodiscard]] std::uint64_t called_now() const noexcept { return clock_; }

  /// True if an operation that was called then may complete. Only for calls that were not parked.
  [[nodiscard]] bool due(std::uint64_t called) noexcept {
    // Most are parked at once: the clock was not read since the call.
    return called != clock_ && is_over(called);
  }

  /// Parks the task for an operation called then; `others` tasks are ready to run meanwhile.
  void park(promise_base* task, std::uint64_t called, std::uint64_t others) noexcept {
    if (called != clock_) return park_dated(task, called);
    ++parked_;
    waiting_.push(task);
    // Tasks that park together would stay together and all wait for the last, so the time is set every few of them,
    // unless the worker is late anyway.
    if (waiting_.position() + waiting_.size() - dated_to_ >= (others < parks_per_reading ? parks_per_reading : others))
      take_time();
  }

  /// Removes the task; false if it did not wait here. Searches all entries: for time-outs, not for every operation.
  [[nodiscard]] bool remove(promise_base const* task) noexcept;

  [[nodiscard]] bool empty() const noexcept { return parked_ == 0; }

  /// Moves the tasks that are due to `runnable`; false if there was none.
  bool release(ring<promise_base*>& runnable) noexcept;

  /// Time until the next task is due; 0 if one is due now. There must be one, and release() must have been called.
  [[nodiscard]] std::uint64_t next_ns() noexcept;

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

  [[nodiscard]] bool is_over(std::uint64_t called) noexcept;
  void park_dated(promise_base* task, std::uint64_t called) noexcept;
  void read_clock() noexcept;
  /// Sets the time of the tasks parked since the last reading.
  void date() noexcept;
  void take_time() noexcept;
  void push_heap(late l) noexcept;
  std::uint64_t draw() noexcept;

  static constexpr std::uint64_t parks_per_reading = 16;

  std::uint64_t clock_ = 0;
  std::uint64_t parked_ = 0;
  ring<promise_base*> waiting_;  ///< in the order of their calls; with jitter only those without a time
  std::uint64_t dated_to_ = 0;   ///< position in waiting_ up to which all have their time set
  ring<stamp> dated_;
  std::vector<late> heap_;
  std::uint64_t time_ = 0;
  std::uint64_t jitter_ = 0;
  std::uint64_t random_ = 0;
};

}  // namespace tess::detail
