// heartbeat: while it lives, place 0 says on standard error, again and again, that the job is still there.
//
//   `tess run` over several hosts hears of its places through the launcher alone, and a launcher that lost a host may
//   end all places before they can say a word, and then wait for ever itself (Open MPI 4.1 does). Silence is the one
//   sign of that which does not depend on the launcher. The lines are taken out by `tess run` (TESS_EXIT_FILE=-); each
//   says how long the next one may take.
//
// Threads  one of its own, which takes no signals and only writes.
// Cost     a line of 40 bytes for each eighth of the failure time-out, at most one a second, at one place of the job.
#pragma once

#include <chrono>
#include <thread>

namespace tess::detail {

class launcher_heartbeat {
 public:
  /// Nothing happens in a process that is not place 0 of its launcher (PMIX_RANK).
  explicit launcher_heartbeat(std::chrono::milliseconds failure_timeout);
  ~launcher_heartbeat();
  launcher_heartbeat(launcher_heartbeat const&) = delete;
  launcher_heartbeat& operator=(launcher_heartbeat const&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace tess::detail
