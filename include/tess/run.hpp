// run: starts the places of a program, runs its first task, and ends when all tasks have ended.
//
//   `return tess::run(argc, argv, app)` starts the places, runs app at place 0, and ends when app and all that it
//   spawned have ended. The number of places, the fabric and the statistics file come from the environment, which
//   `tess run` sets; a program started without it gets one place per processor.
//
//   A program with its own main uses a `runtime`.
//
// Errors   an exception that leaves app is printed and gives exit code 1, as does a job that cannot continue because
//          of a malformed message or a lack of memory for the runtime itself; bad settings give exit code 2.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tess/delay.hpp"
#include "tess/detail/function_ref.hpp"
#include "tess/task.hpp"

namespace tess {

/// The program's arguments, without its own name.
using args = std::span<std::string const>;

/// The layout and options of a job. Zeros are chosen automatically.
struct settings {
  unsigned places = 0;  ///< TESS_PLACES; 0: processors / workers
  /// TESS_WORKERS, per place; 0: 1, on every fabric: handlers of a place with several run concurrently, as threads do.
  /// each_hart (`harts`): one for each hart of a simulated tile that runs programs, and 1 elsewhere.
  unsigned workers = 0;
  static constexpr unsigned each_hart = ~0U;
  unsigned threads = 0;    ///< TESS_THREADS that run the workers; 0: at most one per processor
  std::string pin;         ///< TESS_PIN: none, cores (each thread on its own processor) or a list of processors as
                           ///< 0,2-5; empty: cores if the job has as many threads as processors, else none
  std::string numa;        ///< TESS_NUMA: where segments lie if the machine has several memory nodes: local
                           ///< (also if empty; at the place's first pinned thread), interleave, none
  std::string fabric;      ///< TESS_FABRIC: smp, ucx (each process that a launcher starts is one place), checked,
                           ///< hostile; empty: smp, but tess::run(argc, argv, …) under a PMIx launcher takes ucx
  std::uint64_t seed = 1;  ///< TESS_SEED of the hostile fabric
  tess::delay delay;       ///< TESS_DELAY: additional latency of remote operations, such as 3us or 3us,1us
  bool no_window = false;  ///< TESS_NO_WINDOW: words of other places go through the fabric, not inlined
  std::string copier;      ///< TESS_COPIER of graphs: message_passing, pegasus, nemesys, no_nca; empty: nemesys
  bool dummy_allocations = false;  ///< TESS_DUMMY_ALLOCATIONS: where an accelerator copied a graph, the receiver
                                   ///< allocates as many objects as the graph has, as other copiers must
  bool collected_heap = false;     ///< TESS_HEAP=collected: memory of objects that ended is used again only when the
                                   ///< place's heap is full, as that of a heap with garbage collection; empty or
                                   ///< recycled: at once
  std::string exit_file;  ///< TESS_EXIT_FILE: run(argc, argv, …) writes the exit code there; -: to stderr, in words
  std::string stats;      ///< TESS_STATS: file for the statistics (JSON)
  std::string trace;      ///< TESS_TRACE: file for the trace (Perfetto opens it)
  std::uint64_t buffer_memory = 1 << 20;  ///< TESS_BUFFER_MEMORY: bytes of a place's messages before they are delivered
  unsigned flush_bytes = 4096;        ///< TESS_FLUSH_BYTES: a buffer of gathered messages leaves before it exceeds this
  unsigned flush_after = 50;          ///< TESS_FLUSH_AFTER: or about this many microseconds after its first message
  bool overlap_calls = true;          ///< TESS_OVERLAP_CALLS: tasks start while others of their worker wait for an `at`
  bool flush_idle = true;             ///< TESS_FLUSH_IDLE: or when the worker has nothing else to do
  double failure_timeout = 10;        ///< TESS_FAILURE_TIMEOUT in seconds: a failed place is noticed within this time
  bool progress_thread = true;        ///< TESS_PROGRESS_THREAD: serve words and blocks of ucx when no worker polls
  double stall_timeout = 0;           ///< TESS_STALL_TIMEOUT in seconds, 0: off; SIGUSR1 requests a report at any time
  bool keep_threads = false;          ///< a `runtime` keeps its threads from run to run: they sleep in between
  std::uint64_t fail_allocation = 0;  ///< TESS_FAIL_ALLOCATION, in checked builds: this allocation fails; 0: none

  /// Reads the environment; throws tess::error with the variable, its value and what is valid.
  static settings from_environment();
  /// True if mpirun, prterun or srun started this process as one of several.
  static bool started_by_launcher();
};

/// Runs app(args) at place 0. Exit code: app's own, 1 after an exception, 2 for bad settings.
int run(int argc, char** argv, detail::function_ref<task<int>(args)> app);
/// The same with explicit settings, for tests and benchmarks; may be called again after it has returned. Throws for bad
/// settings and for files that cannot be written.
int run(settings const& s, std::span<std::string const> words, detail::function_ref<task<int>(args)> app);

/// Places inside a program with its own main, and perhaps other runtimes: MPI, OpenMP, an event loop.
///
///     tess::runtime places(settings);                       // reserves segments; starts no thread
///     auto const a = places.run(load);                      // load() at place 0, and everything that it spawns
///     MPI_Allreduce(…);                                     // between two runs no thread runs, or all sleep
///     double const x = places.run([&] { return solve(a); });
///
/// With settings::keep_threads the threads of a run sleep until the next one; otherwise they end with it.
/// Segments last until stop(): arrays made in one run are used in the next. During run(), the calling thread is that of
/// place 0's first worker, so that tasks there may call libraries bound to it (MPI_THREAD_FUNNELED); its processor
/// affinity and signal mask are restored afterwards. After stop() another runtime may start, with other settings.
/// Threads  any one thread at a time, not a task. One runtime per process at a time.
/// Errors   run() throws what the callable throws; bad settings and files that cannot be written, as in run(). After a
///          job that could not continue, every run() throws tess::error.
/// Cost     run(): starting and joining the other threads, about 50 µs each; with settings::keep_threads a few µs.
class runtime {
 public:
  explicit runtime(settings const& s = settings::from_environment());
  /// Calls stop(), and prints an exception that it throws.
  ~runtime();
  runtime(runtime const&) = delete;
  runtime& operator=(runtime const&) = delete;

  /// Runs f(), a task<T>, at place 0; gives its result when it and everything that it spawned have ended.
  template <std::invocable F>
    requires detail::is_task<std::invoke_result_t<F&>>
  auto run(F f) {
    using result = typename std::invoke_result_t<F&>::value_type;
    if constexpr (std::is_void_v<result>) {
      run_task([&]() -> task<void> { co_await f(); });
    } else {
      std::optional<result> value;
      run_task([&]() -> task<void> { value.emplace(co_await f()); });
      return std::move(*value);
    }
  }

  /// Ends the run that is under way, or the next one: it throws tess::error with `reason` when every task has come to a
  /// co_await, and so does each later run(). From any thread.
  void cancel(std::string_view reason) noexcept;

  /// Gives the segments back and writes the statistics and the trace that the settings name.
  void stop();

 private:
  struct state;
  friend int run(settings const& s, std::span<std::string const> words, detail::function_ref<task<int>(args)> app);
  void run_task(detail::function_ref<task<void>()> app);
  std::unique_ptr<state> state_;
};

/// Adds `"name": json` to the statistics under "result". `json` must be valid JSON text. At place 0, once per name.
void report_result(std::string_view name, std::string_view json);

/// Delimits the part that the program measures: on a simulated machine the statistics give it separately
/// (docs/machine/machine.md, `measured`); elsewhere they do nothing. The first begin and the last end count. Any task.
void begin_measured_part() noexcept;
void end_measured_part() noexcept;

/// Totals over all places so far of some counters of docs/use/statistics.md: word operations on the own
/// place and on others, bytes of blocks, messages sent, bytes of messages to other places.
struct operation_counts {
  std::uint64_t words_local = 0;
  std::uint64_t words_remote = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t messages = 0;
  std::uint64_t message_bytes = 0;
};
/// Collects the counts from every place.
[[nodiscard]] task<operation_counts> count_operations();

}  // namespace tess
