// worker_delay: the worker loop's part in delayed word operations (settings::delay).
//
// Threads  the thread of the workers.
#pragma once

#include <algorithm>
#include <chrono>

#include "runtime/job/job.hpp"

namespace tess::detail {

/// About the time that the system needs for a sleep and a wake-up.
inline constexpr auto shortest_sleep = std::chrono::microseconds(50);

/// Makes the tasks runnable whose delayed operations may complete. False if there are none.
inline bool release_delayed(worker_state& w) noexcept {
  if (w.delayed.empty() || !w.delayed.release(w.runnable)) return false;
  w.not_alone();
  return true;
}

inline bool delays_something(thread_state const& thread) noexcept {
  return std::ranges::any_of(thread.workers, [](worker_state const* w) { return !w->delayed.empty(); });
}

/// Time until the next delayed operation of the thread's workers may complete.
inline std::chrono::nanoseconds until_delayed(thread_state& thread) noexcept {
  auto next = std::chrono::nanoseconds::max();
  for (worker_state* const w : thread.workers)
    if (!w->delayed.empty()) next = std::min(next, std::chrono::nanoseconds(w->delayed.next_ns()));
  return next;
}

}  // namespace tess::detail
