// worker_state: a worker with everything that only the runtime's own sources use, and the thread that runs it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/graphs/state.hpp"
#include "runtime/messages/aggregator.hpp"
#include "runtime/report/counts.hpp"
#include "runtime/report/trace.hpp"
#include "tess/detail/tasks/timer.hpp"
#include "tess/detail/tasks/worker.hpp"

namespace tess::detail {

struct at_slot;

struct worker_state : worker {
  worker_state(place_id p, std::uint16_t i, bool only_one, std::uint32_t t)
      : worker(p, i, only_one), thread(t), random_state(0x9E3779B97F4A7C15ull * (notify_id() + 1)) {}

  std::uint32_t thread;
  std::uint64_t random_state;                           ///< chooses the victims of steals
  std::int64_t alone_budget = 128;                      ///< word operations of a lone task's turn
  std::chrono::steady_clock::time_point alone_since{};  ///< end of its last full turn, if it has just had one
  std::chrono::steady_clock::time_point turn_begin{};   ///< or the end of its last full turn
  char const* polls_for = nullptr;  ///< what the current task waits for without suspending; see wait_polling()
  timer_queue timers;
  aggregator outgoing;
  std::vector<at_slot*> abandoned;  ///< calls without a waiter, whose answers have not arrived
  worker_graphs graphs;
  cold_counts cold;
  trace_buffer trace;

  /// Tasks that other threads made runnable: a stack of cookies that the worker reverses.
  alignas(cache_line) std::atomic<std::uint64_t> ready{0};
};

struct alignas(cache_line) thread_state {
  std::uint32_t index = 0;
  std::optional<int> cpu;         ///< the processor it is pinned to
  bool may_spin = false;          ///< there is a processor for every thread
  bool shares_processor = false;  ///< with other threads: yields let them run
  std::vector<worker_state*> workers;
  std::atomic<bool> asleep{false};
  std::atomic<bool> only_polls{false};       ///< a task waits without suspending, and nothing has happened for long
  std::atomic<std::uint64_t> paused_for{0};  ///< the latest pause for which it stopped between two tasks
  std::atomic<std::uint64_t> turns{0};       ///< rounds in which it did something; the stall report watches them
  std::atomic<bool> polls_no_more{false};    ///< it left its loop, or an aborted job
};

}  // namespace tess::detail
