// state: what a job keeps for its reports: results and counters of other processes, and pauses for the stall report.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/report/counts.hpp"

namespace tess::detail {

struct job_statistics {
  std::mutex mutex;
  std::vector<std::pair<std::string, std::string>> results;  ///< name and JSON value, under the mutex
  std::vector<place_counts> other_counts;  ///< by place, of other processes: gathered when the program ends
};

/// The watch pauses all threads between two tasks to look at these; see stall_report.hpp.
struct job_watch {
  std::atomic<std::uint64_t> pauses_requested{0};  ///< number of the latest pause
  std::atomic<std::uint64_t> pauses_ended{0};
  std::atomic<pthread_t> thread{};  ///< 0: no watch
};

}  // namespace tess::detail
