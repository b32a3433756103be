// run: from main() to the first task, and back.
//
//   `return tess::run(argc, argv, app)` starts the places, runs app at place 0 and ends when it and everything it
//   spawned has ended. How many places, which fabric and where statistics go comes from the environment, which
//   `tess run` sets; a program started without it gets one place per processor.
//
// Errors   an exception that leaves app is printed and gives exit code 1; so does a job that cannot go on, because of a
//          malformed message or of memory that the runtime needs for itself; bad settings give exit code 2.
#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tess/delay.hpp"
#include "tess/task.hpp"

namespace tess {

/// The program's words, without its own name.
using args = std::span<std::string const>;

/// How a job is laid out. Zeros are chosen automatically.
struct settings {
  unsigned places = 0;                ///< TESS_PLACES; 0: processors / workers
  unsigned workers = 0;               ///< TESS_WORKERS, per place; 0: 1
  unsigned threads = 0;               ///< TESS_THREADS that run them; 0: at most one per processor
  bool pin = true;                    ///< TESS_PIN: threads keep to one processor each if the job has them all
  std::string fabric;                 ///< TESS_FABRIC: smp, checked, hostile; empty: smp
  std::uint64_t seed = 1;             ///< TESS_SEED of the hostile fabric
  tess::delay delay;                  ///< TESS_DELAY: remote operations complete so much later, as 3us or 3us,1us
  bool no_window = false;             ///< TESS_NO_WINDOW: words of other places go through the fabric, not inlined
  std::string stats;                  ///< TESS_STATS: file for the statistics (JSON)
  std::string trace;                  ///< TESS_TRACE: file for the trace (Perfetto opens it)
  double stall_timeout = 0;           ///< TESS_STALL_TIMEOUT in seconds, 0: off; SIGUSR1 asks at any time
  std::uint64_t fail_allocation = 0;  ///< TESS_FAIL_ALLOCATION, in checked builds: this allocation fails; 0: none

  /// From the environment; throws tess::error naming the variable, its value and what would be right.
  static settings from_environment();
};

/// Runs app(args) at place 0. Exit code: app's own, 1 after an exception, 2 for bad settings.
int run(int argc, char** argv, std::function<task<int>(args)> app);
/// The same with explicit settings, which tests and benchmarks use; may be called again after it returned. Bad settings
/// and files that cannot be written are thrown.
int run(settings const& s, std::span<std::string const> words, std::function<task<int>(args)> app);

/// Adds `"name": json` to the statistics under "result". `json` must be valid JSON text. At place 0, once per name.
void report_result(std::string_view name, std::string_view json);

/// What all places have counted so far, a part of the counters of docs/statistics.md: word operations on the own place
/// and on others, bytes of blocks, messages sent, bytes of those that left their place.
struct operation_counts {
  std::uint64_t local_words = 0;
  std::uint64_t remote_words = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t messages = 0;
  std::uint64_t message_bytes = 0;
};
/// Collected from every place.
[[nodiscard]] task<operation_counts> count_operations();

}  // namespace tess
