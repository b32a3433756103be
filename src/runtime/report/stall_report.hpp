// stall_report: prints which tasks wait where: on SIGUSR1, and when nothing has moved or been done for --stall-timeout.
//
//   The watch pauses all threads between two tasks, prints, and lets them go on, so that it reads no frame that another
//   thread changes. If a thread does not pause, because one task runs for long, the report says so. In the same way the
//   watch announces failed places to tasks.
#pragma once

#include <cstdint>
#include <memory>

namespace tess::detail {

struct thread_state;

/// The calling thread, between two tasks, waits until the requested pause ends.
void pause(thread_state& thread) noexcept;

/// Prints the waiting tasks of the places of this program, all of whose threads sleep forever.
void report_stalled_places();

/// Watches signals, failed places and progress of the running job on a thread of its own, between construction and
/// destruction. If threads of an aborted job do not end, it ends the process.
class stall_watch {
 public:
  explicit stall_watch(double timeout_s);
  ~stall_watch();
  stall_watch(stall_watch const&) = delete;
  stall_watch& operator=(stall_watch const&) = delete;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tess::detail
