// timer: an action that a worker performs at a point in time; a queue per worker, linked through the timers themselves.
//
//   The queue is a pairing heap: starting a timer and finding the earliest take a few instructions, removing one takes
//   logarithmic time on average, and nothing is allocated. Workers check it when they poll and never sleep beyond the
//   earliest. While it is empty, the check is one load.
//
// Threads  the worker whose queue it is.
// Source   M. Fredman, R. Sedgewick, D. Sleator, R. Tarjan, "The pairing heap" (Algorithmica 1986).
#pragma once

#include "tess/detail/durations.hpp"

namespace tess::detail {

struct worker;
using time_point = std::chrono::steady_clock::time_point;

struct timer {
  time_point due{};
  void (*expire)(timer&) noexcept = nullptr;  ///< called once, after the timer has left the queue
  worker* owner = nullptr;                    ///< null: not in a queue
  timer* first_child = nullptr;
  timer* next = nullptr;      ///< sibling
  timer* previous = nullptr;  ///< sibling, or the parent of a first child
};

class timer_queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }
  /// The queue must not be empty.
  [[nodiscard]] timer& earliest() const noexcept { return *root_; }
  void insert(timer& t) noexcept;
  void remove(timer& t) noexcept;

 private:
  static timer* merge(timer* a, timer* b) noexcept;
  static timer* merge_siblings(timer* first) noexcept;
  timer* root_ = nullptr;
};

/// Starts a timer of the calling worker. `expire` runs when the worker polls, at `due` or later.
void start_timer(timer& t) noexcept;
/// No effect on a timer that is not started or has expired.
void cancel_timer(timer& t) noexcept;

}  // namespace tess::detail
