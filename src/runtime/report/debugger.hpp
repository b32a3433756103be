// debugger: what a debugger needs to find the tasks of a process without types: addresses and distances in memory.
//
//   Release libraries have no debug information, so the commands of share/gdb/tess.py read this table. It changes with
//   `version`; tess.py refuses versions that it does not know.
#pragma once

#include <cstdint>
#include <memory>

#include "tess/detail/tasks/worker.hpp"

namespace tess::detail {

struct job_state;

/// A worker of this process.
struct debugged_worker {
  std::uint32_t place;
  std::uint32_t index;
  promise_base* const* current;  ///< the task that runs; the address of `handler` between tasks
  promise_base const* handler;
  char const* const* polls_for;  ///< what the task waits for without suspending, or null
  frame_pool const* frames;
};

struct debugged_process {
  std::uint32_t version = 2;
  std::uint32_t worker_count = 0;
  debugged_worker const* workers = nullptr;  ///< null: no job runs
  frame_pool::distances frames = frame_pool::layout();
  /// In a frame, from its start.
  struct {
    std::uint32_t promise = 0;
    std::uint32_t continuation = 0;
    std::uint32_t callee = 0;
    std::uint32_t where = 0;
    std::uint32_t waits_for = 0;
  } task;
};

/// Fills the table for a job, and empties it when the job ends.
class shown_to_debuggers {
 public:
  explicit shown_to_debuggers(job_state const& j);
  ~shown_to_debuggers();
  shown_to_debuggers(shown_to_debuggers const&) = delete;
  shown_to_debuggers& operator=(shown_to_debuggers const&) = delete;

 private:
  std::unique_ptr<debugged_worker[]> workers_;
};

}  // namespace tess::detail
