// exit_reports: the exit codes that the processes of a job reported, and what they make that of the job.
//
//   Any place of a job of the runtime speaks for all. PEs of OpenSHMEM each report their own code, of which the largest
//   is the job's; a code other than 0 decides at once.
#pragma once

#include <algorithm>
#include <optional>

namespace tess::cli {

class exit_reports {
 public:
  explicit exit_reports(unsigned wanted) : wanted_(wanted) {}

  void add(int code) noexcept {
    ++count_;
    largest_ = std::max(largest_, code);
  }
  /// Nothing: a process that has not reported may still decide otherwise.
  [[nodiscard]] std::optional<int> decided() const noexcept {
    return count_ >= wanted_ || largest_ != 0 ? any() : std::nullopt;
  }
  /// What is known when all have ended; nothing: none reported.
  [[nodiscard]] std::optional<int> any() const noexcept { return count_ == 0 ? std::nullopt : std::optional(largest_); }

 private:
  unsigned wanted_;
  unsigned count_ = 0;
  int largest_ = 0;
};

}  // namespace tess::cli
