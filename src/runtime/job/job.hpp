// job: what the runtime knows of a running program: its places, workers and threads, and the fabric between them.
//
//   One job per process at a time; `the_job` is set by start.cpp before the first thread starts and cleared after the
//   last one ended.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.hpp"
#include "runtime/graphs/message_buffers.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/messages/aggregator.hpp"
#include "runtime/messages/handler_objects.hpp"
#include "runtime/report/trace.hpp"
#include "runtime/tasks/spin_lock.hpp"
#include "tess/detail/timer.hpp"
#include "tess/detail/worker.hpp"
#include "tess/run.hpp"

namespace tess::detail {

struct at_slot;
struct remote_counts;
class finish_proxy;

/// Counted outside the hot paths; one per worker, added up at the end.
struct cold_counts {
  std::uint64_t block_operations = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t messages = 0;  ///< at and at_async calls and replies
  std::uint64_t message_bytes = 0;
  std::uint64_t flushes[flush_reasons] = {};  ///< buffers that left, by reason
  std::uint64_t batch_bytes = 0;              ///< in them
  std::uint64_t batch_room = 0;               ///< that they could have held
  std::uint64_t refusals = 0;                 ///< try_send said no
  std::uint64_t finish_reports = 0;
  std::uint64_t graphs = 0;         ///< copied for at, at_async and copy()
  std::uint64_t graph_objects = 0;  ///< and arrays, without the arguments themselves
  std::uint64_t graph_bytes = 0;
  std::uint64_t calls = 0;  ///< timed ones; see call_time.hpp
  std::uint64_t call_ns = 0;
  std::uint64_t function_ns = 0;
  std::uint64_t steals = 0;
  std::uint64_t parks = 0;  ///< times the thread slept
  std::uint64_t polls = 0;
};

/// The counters of a place, in the order of statistics.cpp.
using place_counts = std::array<std::uint64_t, 26>;

/// A worker with everything that only the runtime's own sources touch.
struct worker_state : worker {
  worker_state(place_id p, std::uint16_t i, bool only_one, std::uint32_t t)
      : worker(p, i, only_one), thread(t), random_state(0x9E3779B97F4A7C15ull * (notify_id() + 1)) {}

  std::uint32_t thread;
  std::uint64_t random_state;                           ///< whom to steal from
  std::uint64_t alone_budget = 128;                     ///< word operations of a lone task's turn
  std::chrono::steady_clock::time_point alone_since{};  ///< end of its last full turn, if it has just had one
  char const* polls_for = nullptr;  ///< what the current task waits for without suspending; see wait_polling()
  timer_queue timers;
  aggregator outgoing;
  cold_counts cold;
  trace_buffer trace;
  std::vector<at_slot*> abandoned;  ///< calls that nobody awaits, and whose answers have not come
  std::unique_ptr<copy_maps> maps;  ///< made when a graph is first copied; see walk.hpp
  std::vector<std::unique_ptr<graph_walk>> spare_walks;

  /// Tasks that became resumable elsewhere: a stack of cookies that the worker reverses.
  alignas(cache_line) std::atomic<std::uint64_t> ready{0};
};

/// Memory of objects that ended, in checked builds; see quarantine.hpp.
struct dead_chunk {
  std::byte* begin;
  std::uint64_t bytes;
};

struct place_state {
  place_id id = 0;
  place_segment memory;
  std::unique_ptr<heap> own;         ///< the upper half of the segment
  std::unique_ptr<heap> symmetric;   ///< the lower half; at place 0 only
  std::uint64_t symmetric_used = 0;  ///< offsets below may have been written
  std::mutex heap_mutex;
  std::unique_ptr<message_buffers> buffers;  ///< with accelerators for graphs
  graph_units* units = nullptr;              ///< these accelerators
  spin_lock atomic_section;
  spin_lock finish_mutex;
  std::unordered_map<std::uint64_t, finish_proxy*> proxies;  ///< by finish key
  std::atomic<finish_proxy*> idle_proxies{nullptr};          ///< a list; looked at without the lock

  /// Finish reports are taken in the order in which their place sent them; see finish.cpp.
  struct report_order {
    std::uint64_t next = 1;
    std::map<std::uint64_t, std::vector<std::byte>> early;  ///< by number; arrived before an earlier one
  };
  std::unordered_map<place_id, std::uint64_t> reports_to;  ///< how many, by home place
  std::unordered_map<place_id, report_order> reports_from;

  /// Of a finish of another place, after a failure: has this place anything of it? See finish.cpp.
  struct question {
    std::uint64_t key;
    std::uint64_t number;
    std::uint64_t failed;  ///< the place
  };
  std::vector<question> questions;  ///< not yet answered
  std::atomic<bool> is_asked{false};

  std::unique_ptr<finish_scope> system;  ///< what the runtime's own tasks count for; nobody waits for it
  std::vector<worker_state*> workers;

  std::mutex dead_mutex;
  std::deque<dead_chunk> dead;
  std::uint64_t dead_bytes = 0;
};

struct alignas(cache_line) thread_state {
  std::uint32_t index = 0;
  std::optional<int> cpu;  ///< the processor it is pinned to
  bool may_spin = false;   ///< there is a processor for every thread
  std::vector<worker_state*> workers;
  std::atomic<bool> asleep{false};
  std::atomic<bool> only_polls{false};        ///< a task waits without suspending, and nothing happened for long
  std::atomic<std::uint64_t> stopped_for{0};  ///< the latest stall report for which it stood still
  std::atomic<std::uint64_t> turns{0};        ///< rounds in which it did something: the stall report watches them
  std::atomic<bool> polls_no_more{false};     ///< it left its loop, or a broken job; see abort.hpp
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
  std::vector<std::uint64_t> load_windows, atomic_windows;
  std::vector<std::uint64_t> delayed_windows;  ///< empty unless words are delayed
  std::vector<std::uint64_t> segment_bytes;
  std::vector<handler_object> objects;  ///< the program and what it loaded, by the number in messages
  std::atomic<bool> stopping{false};
  std::atomic<int> exit_code{0};    ///< of the program; place 0 tells all
  std::atomic<bool> broken{false};  ///< it stops because it cannot go on; see abort.hpp
  std::atomic<bool> reason_written{false};
  char reason[1024] = {};
  std::atomic<std::uint64_t> report_wanted{0};    ///< number of the latest stall report asked for
  std::atomic<std::uint64_t> report_finished{0};  ///< number of the latest one that was printed
  std::mutex results_mutex;
  std::vector<std::pair<std::string, std::string>> results;
  std::vector<place_counts> counts_elsewhere;  ///< by place, of other processes: gathered when the job ends
  std::atomic<bool> has_failed{false};         ///< a place did; see failed_places.hpp; then:
  time_point failure_seen{};                   ///< of the first
  place_id failed_place = 0;                   ///< the first
  std::map<place_id, std::string> failures;    ///< all: on which host, and how it was noticed; under results_mutex
  std::vector<place_id> untold;                ///< of which tasks do not know yet; under results_mutex
  std::atomic<bool> has_untold{false};
  std::atomic<bool> heard_of_failure{false};  ///< from a task elsewhere, which may be earlier than our own fabric
  // Changed while all threads stand still:
  std::unique_ptr<bool[]> failed;  ///< job.failed
  std::uint64_t failures_told = 0;
  place_id last_failed = 0;
  time_point told{};               ///< the last of them
  std::atomic<pthread_t> watch{};  ///< the stall watch, which tells

  [[nodiscard]] worker_state& worker_of(std::uint32_t notify_id) const noexcept {
    return *workers[std::size_t{(notify_id >> 16) - first_place} * job.workers + (notify_id & 0xffffU)];
  }
  /// Of this process.
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
