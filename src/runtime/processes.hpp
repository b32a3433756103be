// processes: what a job that is spread over processes does more: it ends everywhere, and notices that a place failed.
//
//   Place 0 runs the program; when it ended, the exit code goes down a binary tree of places. A place that cannot go on
//   tells all others directly. A failed place ends the job: operations on it end with place_failed at once, and after
//   a moment, in which tasks may clean up, the job ends like any that cannot go on (job_end.hpp).
//
// Threads  look_at_failures: those that run workers. The rest: the first worker's, see each.
#pragma once

#include "runtime/job.hpp"
#include "tess/task.hpp"

namespace tess::detail {

/// At place 0, when the program ended: all others stop too.
void stop_other_processes(int exit_code) noexcept;
/// After the threads of a broken job ended: so must the others.
void stop_after_break(job_state& j) noexcept;
/// What the fabric noticed.
void look_at_failures() noexcept;
/// At place 0: the counters of all others, for the statistics.
task<void> gather_counts();
/// This process says why a broken job ends: one does.
[[nodiscard]] bool says_why() noexcept;

}  // namespace tess::detail
