// shutdown: what a job that is spread over processes does more: it ends everywhere, and tells its statistics.
//
//   Place 0 runs the program; when it ended, the exit code goes down a binary tree of places. A place that cannot go on
//   tells all others directly. What becomes of it when a place failed: failed_places.hpp.
//
// Threads  the first worker's, see each.
#pragma once

#include "runtime/job/job.hpp"
#include "tess/task.hpp"

namespace tess::detail {

/// At place 0, when the program ended: all others stop too.
void stop_other_processes(int exit_code) noexcept;
/// After the threads of a broken job ended: so must the others.
void stop_others_after_abort(job_state& j) noexcept;
/// At place 0: the counters of all others, for the statistics.
task<void> gather_statistics();
/// This process says why a broken job ends: one does.
[[nodiscard]] bool reports_reason() noexcept;

}  // namespace tess::detail
