// pes: runs a program of OpenSHMEM as several processes of this host, its PEs, without a launcher of others.
//
//   The PEs share a memory file without a name (tess/detail/shmem/job_file.hpp), so that nothing is left when they end,
//   however they end. A PE that is ended by a signal, or ends with an exit code before shmem_finalize, ends the others;
//   so does shmem_global_exit, with its code. Only PE 0 has the standard input.
//
// Threads   the caller's, until all PEs have ended.
// Errors    usage_error: too many PEs, or no memory file.
#pragma once

#include <filesystem>

#include "cli/command/command.hpp"

namespace tess::cli {

/// As many PEs as TESS_PLACES says. Returns the job's exit code.
int run_pes(std::filesystem::path const& program, words const& arguments);

}  // namespace tess::cli
