// lease_clock: time that a lease is measured by: it also passes while the machine sleeps, and never goes back.
#pragma once

#include <time.h>

#include <chrono>

namespace tess::memd {

struct lease_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<lease_clock>;
  static constexpr bool is_steady = true;

  [[nodiscard]] static time_point now() noexcept {
    timespec t{};
    // CLOCK_MONOTONIC stands still while the machine sleeps: a primary that wakes up would rely on an old lease.
    static_cast<void>(clock_gettime(CLOCK_BOOTTIME, &t));
    return time_point(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
  }
};

}  // namespace tess::memd
