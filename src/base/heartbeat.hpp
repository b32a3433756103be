// heartbeat: place 0 writes a line to standard error at regular intervals, which shows that the job is alive.
//
//   Over several hosts, `tess run` sees its places only through the launcher. A launcher that lost a host may end all
//   places before they can report anything, and then wait forever (Open MPI 4.1 does). Missing lines are the only sign
//   of this that does not depend on the launcher. `tess run` removes the lines (TESS_EXIT_FILE=-); each line states how
//   long the next one may take.
//
// Threads  one of its own, which receives no signals and only writes.
// Cost     a line of 40 bytes for each eighth of the failure time-out, at most one a second, at one place of the job.
#pragma once

#include <chrono>
#include <thread>

namespace tess::detail {

class launcher_heartbeat {
 public:
  /// Does nothing in a process that is not place 0 of its launcher.
  explicit launcher_heartbeat(std::chrono::milliseconds failure_timeout);
  ~launcher_heartbeat();
  launcher_heartbeat(launcher_heartbeat const&) = delete;
  launcher_heartbeat& operator=(launcher_heartbeat const&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace tess::detail
