// launch: runs a program as several processes, by the launcher installed on this machine.
//
//   Open MPI's mpirun, PRRTE's prterun, or Slurm's srun inside an allocation. On this host the places themselves report
//   how the job ended (TESS_EXIT_FILE), because a launcher that is told to survive a failed place would return 0.
//
// Errors    usage_error: no launcher, though more than one place is requested; or one without PMIx.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command/command.hpp"

namespace tess::cli {

/// The launcher and its options for this many processes of a program on this host; the program's arguments follow.
/// Throws usage_error without a launcher.
[[nodiscard]] words launcher_words(unsigned processes);

/// Processes on other hosts get this environment variable, too.
void pass_variable(std::string const& name);

/// Number and hosts of places come from the environment, as `tess run` set it. Returns the job's exit code.
int launch(std::filesystem::path const& program, words const& arguments);

}  // namespace tess::cli
