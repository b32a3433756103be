// job: the state of a running job: its places, workers and threads, and the fabric between them.
//
//   It composes the states of the runtime's parts, each defined in the folder of its part. There is one job per process
//   at a time. start.cpp sets `the_job` before the first thread starts and clears it after the last one ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "fabric/fabric.hpp"
#include "runtime/failures/exception_trace.hpp"
#include "runtime/failures/state.hpp"
#include "runtime/finish/state.hpp"
#include "runtime/graphs/state.hpp"
#include "runtime/memory/allocation_map.hpp"
#include "runtime/memory/state.hpp"
#include "runtime/messages/handler_objects.hpp"
#include "runtime/report/state.hpp"
#include "runtime/tasks/spin_lock.hpp"
#include "runtime/tasks/worker_state.hpp"
#include "runtime/transfers/windows.hpp"
#include "tess/run.hpp"

namespace tess::detail {

struct place_state {
  place_id id = 0;
  place_segment memory;
  std::vector<worker_state*> workers;
  place_heaps heaps;
  place_finishes finishes;
  place_graphs graphs;
  exception_traces exceptions;
  spin_lock atomic_section;
};

struct job_state {
  settings options;
  tess::copier copier = tess::copier::nemesys;
  std::unique_ptr<detail::fabric> fabric;
  place_id first_place = 0;                            ///< of this process
  unsigned local_places = 0;                           ///< in this process; all of them, unless places are processes
  std::vector<std::unique_ptr<place_state>> places;    ///< of this process
  std::vector<std::unique_ptr<worker_state>> workers;  ///< place-major
  std::deque<thread_state> threads;
  std::vector<handler_object> objects;  ///< the program and what it loaded, by the number in messages
  window_tables windows;
  std::unique_ptr<allocation_map> allocations;  ///< of jobs that verify every access
  std::atomic<bool> stopping{false};
  std::atomic<bool> run_ended{false};  ///< the first thread returns to its caller; the others are kept
  std::atomic<int> exit_code{0};       ///< the program's; place 0 sends it to all
  std::atomic<unsigned> mistakes{0};   ///< of the program that were reported: operations never awaited, addresses sent
  unsigned races = 0;                  ///< pairs of lines, in programs compiled with --races
  job_abort abort;
  job_failures failures;
  job_watch watch;
  job_statistics statistics;

  [[nodiscard]] worker_state& worker_of(std::uint32_t notify_id) const noexcept {
    return *workers[std::size_t{(notify_id >> 16) - first_place} * job.workers + (notify_id & 0xffffU)];
  }
  /// A place of this process.
  [[nodiscard]] place_state& place(place_id p) const noexcept { return *places[p - first_place]; }
};

inline constinit job_state* the_job = nullptr;

[[nodiscard]] inline worker_state& this_worker() noexcept {
  return static_cast<worker_state&>(*self);
}
[[nodiscard]] inline place_state& this_place() noexcept {
  return the_job->place(self->place);
}

}  // namespace tess::detail
