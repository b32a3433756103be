// spawned: processes of one host that `tess spawn` started learn of each other from the job's memory file.
//
// Errors   tess::error when the file is not there, or a process ends before the job begins.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "fabric/ucx/ucx.hpp"

namespace tess::detail {

/// Parameters as of make_wireup().
[[nodiscard]] std::unique_ptr<process_wireup> make_spawned_wireup(std::chrono::milliseconds patience, std::string user);

}  // namespace tess::detail
