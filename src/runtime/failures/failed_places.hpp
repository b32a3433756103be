// failed_places: what becomes of tasks when a place failed: every wait that it might have ended throws place_failed.
//
//   The fabric ends operations on the failed place itself: words and blocks need nothing from here. Other waits are
//   found by a walk over all tasks of the process while its threads stand still (stall_report.hpp): an `at` of the
//   failed place is given up, and so is whatever any place might end (counters, barriers, reductions, events), because
//   nobody knows whose turn it was. A finish that has tasks elsewhere ends with place_failed once the places that are
//   left have nothing of it any more. From then on such waits do not begin; words, blocks, `at` and finish work on with
//   the places that are left, and a program that caught place_failed may clean up and end with them.
//
//   A job does not outlive a failure by more than its failure time-out, and its place 0 by a moment.
//
// Threads  check_for_failures: those that run workers. announce_failures: the stall watch.
#pragma once

#include <exception>

#include "runtime/job/job.hpp"

namespace tess::detail {

/// What the fabric noticed since is kept, and the watch is asked to tell; ends the job when its time is over.
void check_for_failures() noexcept;
/// An exception came that says so of some place: here that may not be known yet, and perhaps never will.
void note_remote_failure() noexcept;
/// A place failed, as far as anybody here has heard.
[[nodiscard]] bool failure_reported() noexcept;
/// Tasks do not know yet of some failure.
[[nodiscard]] bool has_unannounced_failures() noexcept;
/// Gives up the waits of all tasks. While all threads stand still.
void announce_failures(job_state& j) noexcept;

/// The place that failed last, as tasks were told, and how many they were told of.
[[nodiscard]] place_id last_announced_failure() noexcept;
[[nodiscard]] std::uint64_t announced_failures() noexcept;
/// With what the fabric said of it.
[[nodiscard]] std::exception_ptr make_place_failed(place_id place);

/// A line for each place that failed.
void print_failures(job_state const& j) noexcept;

/// Calls that nobody awaits and whose answers will not come, or may not.
void give_up_abandoned(worker_state& w) noexcept;
/// The answer of a call is of no use any more, and may not come.
void forget_answer(at_slot* slot) noexcept;

}  // namespace tess::detail
