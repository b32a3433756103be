// processes: `tess bench --fabric ucx`: places as two processes of this host, beside the same places on smp, the
//   peers that are installed, and an empty MPI program's start-up.
//
//   Entries are those of the benchmark `processes`, whose limits are raw loops; and for each case one more against smp
//   and against every peer that measures the same case, all in the same run.
//
// Errors    usage_error: no launcher.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/tree.hpp"

namespace tess::cli {

/// Adds its entries; returns the names of benchmarks that failed. `runs` 0: the default of each.
[[nodiscard]] std::vector<std::string> bench_processes(tree const& here, int runs, nlohmann::json& merged);

/// The entries of `ours`, each compared with that of `other` of the same case, as "CASE, against NAME".
[[nodiscard]] nlohmann::json compare_entries(nlohmann::json const& ours, nlohmann::json const& other,
                                             std::string const& name);

/// OpenSHMEM on 2, 4 and 8 PEs, beside Open MPI's and the collectives of MPI where these are installed, and the start
/// of 2 and 64 PEs. Returns what failed.
std::vector<std::string> bench_openshmem(tree const& here, int runs, nlohmann::json& merged);

}  // namespace tess::cli
