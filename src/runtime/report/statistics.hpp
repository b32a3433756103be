// statistics: what the workers counted, added up, as JSON (docs/use/statistics.md is the schema).
#pragma once

#include <string>

#include "runtime/job/job.hpp"
#include "tess/run.hpp"

namespace tess::detail {

/// The counters of one worker.
[[nodiscard]] operation_counts counts_of(worker_state const& w) noexcept;

/// The counters of the caller's place.
[[nodiscard]] place_counts counts_here() noexcept;

/// Throws tess::error if the file cannot be written.
void write_statistics(job_state const& job, std::string const& program, double seconds, int exit_code,
                      std::string const& file);

}  // namespace tess::detail
