// checkpoints: files of whole runs: written where the command line says, and gone on with.
//
// Errors    wrong_use, checkpoint_error, handle_error, tess::detail::write_error.
// Threads   none.
#pragma once

#include "machine/command/run.hpp"
#include "machine/command/timed_run.hpp"

namespace tess::machine {

/// Where `run` stops to write checkpoints, as `now` says.
[[nodiscard]] run_pauses checkpoint_pauses(timed_run& run, chosen_options const& now);
/// What was asked for and not reached.
void report_missed(run_pauses const& pauses, timed_run& run);

/// The run of now.restore. It is never destroyed: it ends with the process.
[[nodiscard]] timed_run& restored_run(chosen_options const& now, runtime_files const& of_runtime);

}  // namespace tess::machine
