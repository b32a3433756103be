// shutdown: ends a job whose places are processes: at all of them, and with the statistics of all.
//
//   Place 0 runs the program. When that has ended, the exit code goes down a binary tree of places. A place that aborts
//   sends the order to all others directly. For failed places see failed_places.hpp.
//
// Threads  the thread of the first worker.
#pragma once

#include "runtime/job/job.hpp"
#include "tess/task.hpp"

namespace tess::detail {

/// At place 0, when the program has ended: stops all others.
void stop_other_processes(int exit_code) noexcept;
/// After the threads of an aborted job ended: stops the other processes.
void stop_others_after_abort(job_state& j) noexcept;
/// At place 0: collects the counters of all others, for the statistics.
task<void> gather_statistics();
/// This process is the one that prints why an aborted job ends.
[[nodiscard]] bool reports_reason() noexcept;

}  // namespace tess::detail
