// launch: runs a program as several processes, by the launcher that this machine has.
//
//   Open MPI's mpirun, PRRTE's prterun, or Slurm's srun inside an allocation. On this host the places themselves say
//   how the job ended (TESS_EXIT_FILE), for a launcher that is told to survive a place that fails would say 0.
//
// Errors    usage_error: no launcher, though more than one place is wanted; or one without PMIx.
#pragma once

#include <filesystem>

#include "cli/command.hpp"

namespace tess::cli {

/// The launcher and its options for so many processes of any program on this host; its words are to follow. Throws
/// usage_error without a launcher.
[[nodiscard]] words launcher_words(unsigned processes);

/// How many places, on which hosts: from the environment, as `tess run` set it. The job's exit code.
int launch(std::filesystem::path const& program, words const& arguments);

}  // namespace tess::cli
