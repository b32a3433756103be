// windows: the addresses through which this process reaches the segments of all places.
#pragma once

#include <cstdint>
#include <vector>

namespace tess::detail {

struct worker_state;
struct job_state;

/// By place; no_window where there is none.
struct window_tables {
  std::vector<std::uint64_t> load;
  std::vector<std::uint64_t> atomic;
  std::vector<std::uint64_t> delayed;        ///< empty unless words are delayed
  std::vector<std::uint64_t> verified;       ///< empty unless the job verifies every access
  std::vector<std::uint64_t> segment_bytes;  ///< 0: the fabric knows; a place without a window
};

/// Fills the tables from the job's fabric and makes `job` point to them.
void open_windows(job_state& j);

}  // namespace tess::detail
