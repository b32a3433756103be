// fabric: `tess doctor --fabric ucx`: libraries, launcher and transports, and measurements between places.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/checks.hpp"

namespace tess::cli {

/// UCX, PMIx and a launcher, with their versions, and the transports to other processes.
[[nodiscard]] std::vector<finding> check_fabric();

/// Runs `pairs` on this many places, of these hosts if any are named; returns its exit code.
[[nodiscard]] int measure_pairs(tree const& here, unsigned places, std::string const& hosts);

}  // namespace tess::cli
