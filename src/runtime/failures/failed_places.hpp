// failed_places: the effect of a failed place on tasks: every wait that it might have ended throws place_failed.
//
//   The fabric itself ends operations on the failed place, so words and blocks need nothing from here. Other waits are
//   found by a walk over all tasks of the process while its threads are paused (stall_report.hpp). An `at` of the
//   failed place is given up. So is every wait that any place might end (counters, barriers, reductions, events),
//   because it is unknown which place would have ended it. A finish that has tasks elsewhere ends with place_failed
//   once the surviving places have none of its tasks. From then on such waits do not begin. Words, blocks, `at` and
//   finish go on with the surviving places, and a program that caught place_failed may clean up and end with them.
//
//   A job ends within its failure time-out after a failure, and shortly after a failure of place 0.
//
// Threads  check_for_failures: those that run workers. announce_failures: the stall watch.
#pragma once

#include <exception>

#include "runtime/job/job.hpp"

namespace tess::detail {

/// Records the failures that the fabric noticed and asks the watch to announce them; ends the job when its time is
/// over.
void check_for_failures() noexcept;
/// An exception that arrived reports a failure; the fabric of this place may never notice it.
void note_remote_failure() noexcept;
/// A place failed, according to the fabric or to an exception from another place.
[[nodiscard]] bool failure_reported() noexcept;
/// Some failure has not been announced to the tasks.
[[nodiscard]] bool has_unannounced_failures() noexcept;
/// Gives up the waits of all tasks. Only while all threads are paused.
void announce_failures(job_state& j) noexcept;

/// The failure that was announced last, and how many were announced.
[[nodiscard]] place_id last_announced_failure() noexcept;
[[nodiscard]] std::uint64_t announced_failures() noexcept;
/// With the fabric's description of the failure.
[[nodiscard]] std::exception_ptr make_place_failed(place_id place);

/// A line for each place that failed.
void print_failures(job_state const& j) noexcept;

/// Gives up calls without a waiter whose answers may not arrive.
void give_up_abandoned(worker_state& w) noexcept;
/// The answer of a call is not needed any more, and may not arrive.
void forget_answer(at_slot* slot) noexcept;

}  // namespace tess::detail
