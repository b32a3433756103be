// crash_report: the last words of a process that ends by a signal: place, address, task, and what may help.
//
//   SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT print the place and worker, what is at the address (a place's segment,
//   or none), and the task with those that await it; then the process ends by that signal, as it would have without
//   this. A signal for which the program, or a sanitizer, has a handler of its own is left alone. Each thread has a
//   stack for its handler, so that a stack that is full is reported, too.
//
// Threads  each thread that runs workers makes a crash_stack; the process has one crash_report.
// Cost     none until a signal arrives.
#pragma once

#include <signal.h>

#include <array>
#include <cstddef>

namespace tess::detail {

/// Where a place leaves the number of the signal that ends it, in its segment: beside the null pointer. 0: none.
inline constexpr std::size_t signal_offset = 8;
/// The name of a signal that ends a process with last words; null for others.
[[nodiscard]] char const* name_of_signal(unsigned signal) noexcept;

/// While it lives, fatal signals are reported.
class crash_report {
 public:
  crash_report() noexcept;
  ~crash_report();
  crash_report(crash_report const&) = delete;
  crash_report& operator=(crash_report const&) = delete;

 private:
  static constexpr std::array signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  std::array<bool, signals.size()> ours_{};
};

/// The calling thread's stack for the handler.
class crash_stack {
 public:
  crash_stack() noexcept;
  ~crash_stack();
  crash_stack(crash_stack const&) = delete;
  crash_stack& operator=(crash_stack const&) = delete;

 private:
  static constexpr std::size_t bytes = std::size_t{64} << 10;
  void* memory_ = nullptr;
};

}  // namespace tess::detail
