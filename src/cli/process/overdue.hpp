// overdue: asks a process to end (SIGTERM) when its time is over, and kills it (SIGKILL) a little later.
//
// Threads   one.
#pragma once

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace tess::cli {

class overdue {
 public:
  using clock = std::chrono::steady_clock;

  explicit overdue(int process) noexcept : process_(process) {}

  /// Its remaining time from now on; nothing: no limit. No effect after it was asked to end.
  void has(std::optional<std::chrono::milliseconds> time) noexcept {
    if (asked_) return;
    due_ = time ? std::optional(clock::now() + *time) : std::nullopt;
  }
  [[nodiscard]] bool has_limit() const noexcept { return due_.has_value(); }
  /// Sends the signal that is due, if any.
  void look() noexcept {
    if (!due_ || clock::now() < *due_) return;
    ::kill(process_, asked_ ? SIGKILL : SIGTERM);
    asked_ = true;
    due_ = clock::now() + last_patience;
  }
  [[nodiscard]] bool asked() const noexcept { return asked_; }
  /// The time until a signal may be due, at most a second: for poll(2).
  [[nodiscard]] int milliseconds() const noexcept {
    auto const left = due_ ? *due_ - clock::now() : clock::duration(look_again);
    auto const wait = std::clamp<clock::duration>(left, clock::duration::zero(), look_again);
    return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(wait).count()) + 1;
  }

  /// From the end of all places until their launcher is asked to end.
  static constexpr std::chrono::seconds launchers_patience{5};
  static constexpr std::chrono::seconds look_again{1};

 private:
  static constexpr std::chrono::seconds last_patience{2};

  int process_;
  std::optional<clock::time_point> due_;
  bool asked_ = false;
};

}  // namespace tess::cli
