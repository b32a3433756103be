// run_limit: when a run ends that its program would go on with: cycles, instructions, time of the host, or a signal.
//
//   Limits of cycles and instructions make a run that repeats; the other two depend on the host.
//
// Threads   one; signals may come to any.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace tess::machine {

// From now on SIGINT and SIGTERM are noted; each ends this process if it comes again.
void catch_signals();
// The signal that came; 0: none.
[[nodiscard]] int caught_signal() noexcept;
// A call that waits returns after so long to ask for a signal, which may have come just before it.
inline constexpr int signal_look_ms = 200;

class run_limit {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t cycles = never;
  std::uint64_t instructions = never;
  std::chrono::duration<double> host_time = std::chrono::duration<double>::max();  // from the construction on

  // Why the run ends after so much, as a line; empty: it does not.
  [[nodiscard]] std::string reason(std::uint64_t cycles_done, std::uint64_t instructions_done) const;
  // What a run ends with: 1, or 128 and the signal's number.
  [[nodiscard]] static int exit_code() noexcept;
  // So many cycles may pass before reason() must be asked, if a hart executes at most one instruction in each.
  [[nodiscard]] std::uint64_t cycles_left(std::uint64_t cycles_done, std::uint64_t instructions_done,
                                          std::uint64_t harts) const noexcept;

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace tess::machine
