// launch: runs a program as several processes: by `tess spawn` on this host, or by a launcher installed here.
//
//   Those are Open MPI's mpirun, PRRTE's prterun, or Slurm's srun inside an allocation. On this host the places
//   themselves report how the job ended (TESS_EXIT_FILE), because a launcher that is told to survive a failed place
//   would return 0.
//
// Errors    usage_error: no launcher for several hosts, or one without PMIx.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command/command.hpp"

namespace tess::cli {

/// The launcher and its options for this many processes of a program on this host; the program and its arguments
/// follow.
[[nodiscard]] words launcher_words(unsigned processes);
/// The same by a launcher that programs of MPI know. Throws usage_error without one.
[[nodiscard]] words mpi_launcher_words(unsigned processes);

/// Processes on other hosts get this environment variable, too.
void pass_variable(std::string const& name);

/// Number and hosts of places come from the environment, as `tess run` set it. Returns the job's exit code.
int launch(std::filesystem::path const& program, words const& arguments);

}  // namespace tess::cli
