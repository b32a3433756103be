// state: what a job knows about places that failed, and why it aborts.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tess/detail/tasks/timer.hpp"
#include "tess/place.hpp"

namespace tess::detail {

/// See failed_places.hpp.
struct job_failures {
  std::atomic<bool> any{false};  ///< once set, `first_seen` and `first` are
  time_point first_seen{};
  place_id first = 0;
  std::atomic<bool> reported_remotely{false};  ///< a task elsewhere saw a failure, maybe before this place's fabric

  std::mutex mutex;
  std::map<place_id, std::string> places;  ///< all: on which host, and how it was noticed; under the mutex
  std::vector<place_id> unannounced;       ///< not yet announced to tasks; under the mutex
  std::atomic<bool> has_unannounced{false};

  // Changed while all threads are paused:
  std::unique_ptr<bool[]> announced;  ///< job.failed
  std::uint64_t announced_count = 0;
  place_id last_announced = 0;
  time_point announced_at{};  ///< the last of them
};

/// See abort.hpp.
struct job_abort {
  std::atomic<bool> begun{false};
  std::atomic<bool> reason_written{false};
  std::atomic<bool> cancelled{false};  ///< by the program, from outside
  char reason[1024] = {};
};

}  // namespace tess::detail
