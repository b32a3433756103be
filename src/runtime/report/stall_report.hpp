// stall_report: who waits where: on SIGUSR1, and when nothing has moved for --stall-timeout; and who is to be told that
// a place failed.
//
//   The watch asks all threads to stand still between two tasks, prints, and lets them go on: nobody reads a frame that
//   another thread changes. Of a place with a thread that does not come, being in one long task, it says just that.
#pragma once

#include <cstdint>
#include <memory>

namespace tess::detail {

struct thread_state;

/// The calling thread, between two tasks, waits until the report that was asked for is printed.
void pause(thread_state& thread) noexcept;

/// Of the places of this program, when everybody sleeps for ever: tasks that wait, and where.
void report_stalled_places();

/// Watches signals, failed places and progress of the running job on a thread of its own, between construction and
/// destruction. A broken job whose threads do not end is ended with the process.
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
