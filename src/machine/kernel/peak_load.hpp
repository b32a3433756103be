// peak_load: the largest share of a time window in which something was busy; windows follow each other.
//
// Units     ps.
// Threads   one.
#pragma once

#include <algorithm>

#include "machine/kernel/time.hpp"

namespace tess::machine {

class peak_load {
 public:
  static constexpr picoseconds window_ps = 1'000'000'000;

  /// Busy from `begin` to `end`, not earlier than the last call.
  void busy(picoseconds begin, picoseconds end) noexcept {
    while (begin < end) {
      picoseconds const window = begin / window_ps;
      if (window != window_) in_window_ = 0;
      window_ = window;
      picoseconds const until = std::min(end, (window + 1) * window_ps);
      in_window_ += until - begin;
      most_ = std::max(most_, in_window_);
      begin = until;
    }
  }
  /// From 0 to 1.
  [[nodiscard]] double share() const noexcept { return static_cast<double>(most_) / static_cast<double>(window_ps); }

 private:
  picoseconds window_ = 0;
  picoseconds in_window_ = 0;
  picoseconds most_ = 0;
};

}  // namespace tess::machine
