// stall_report: who waits where: on SIGUSR1, and when nothing has moved for --stall-timeout.
//
//   Each worker prints its own tasks, at its next turn, so that nobody reads a frame that another thread changes.
#pragma once

#include <cstdint>

namespace tess::detail {

struct worker_state;

/// Prints the parked tasks of the calling worker.
void report_worker(worker_state& w);

/// Watches signals and progress of the running job on a thread of its own, between construction and destruction.
class stall_watch {
 public:
  explicit stall_watch(double timeout_s);
  ~stall_watch();
  stall_watch(stall_watch const&) = delete;
  stall_watch& operator=(stall_watch const&) = delete;

 private:
  struct state;
  state* state_;
};

}  // namespace tess::detail
