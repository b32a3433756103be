// progress: one line on a terminal, rewritten about every second of host time while a long run goes on.
//
// Units     host seconds inside; simulated time in ps.
// Threads   one.
#pragma once

#include <chrono>
#include <cstdint>

namespace tess::machine {

class progress {
 public:
  /// `wanted`: standard error is a terminal.
  explicit progress(bool wanted);
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  /// Erases the line.
  ~progress();

  /// True about once a second: then call say().
  [[nodiscard]] bool due();
  void say(std::uint64_t simulated_ps, std::uint64_t instructions);

 private:
  using clock = std::chrono::steady_clock;
  bool wanted_;
  bool said_ = false;
  clock::time_point begin_ = clock::now();
  clock::time_point last_ = begin_;
  std::uint64_t instructions_ = 0;  ///< At the last output.
};

}  // namespace tess::machine
