// sampled_windows: the processes of a sampled run: each simulates a window and tells two numbers.
//
// Errors    std::system_error if there can be no further process. What fails in one is kept as a text.
// Threads   one.
#pragma once

#include <sys/types.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "machine/report/sample_estimate.hpp"
#include "machine/timed/timed_machine.hpp"

namespace tess::machine {

class sampled_windows {
 public:
  /// At most so many processes at a time. A window of fewer instructions than `least` is not counted.
  sampled_windows(unsigned at_once, std::uint64_t least) : at_once_(at_once), least_(least) {}
  sampled_windows(sampled_windows const&) = delete;
  sampled_windows& operator=(sampled_windows const&) = delete;
  /// Ends all that are left.
  ~sampled_windows();

  /// `simulate` is called in a copy of this process.
  void begin(std::uint64_t at, std::function<timed_machine::window()> const& simulate);
  /// Waits for all.
  void finish();

  /// In the order of their begins, those that have ended.
  [[nodiscard]] std::vector<sampled_window> const& counted() const noexcept { return counted_; }
  [[nodiscard]] std::size_t cut() const noexcept { return cut_; }
  [[nodiscard]] std::vector<std::string> const& failed() const noexcept { return failed_; }

 private:
  struct process {
    pid_t id;
    int answer;
    std::uint64_t at;
  };
  void take_first();

  unsigned at_once_;
  std::uint64_t least_;
  std::deque<process> running_;
  std::vector<sampled_window> counted_;
  std::size_t cut_ = 0;
  std::vector<std::string> failed_;
};

}  // namespace tess::machine
