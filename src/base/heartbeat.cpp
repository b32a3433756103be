// heartbeat: a thread that writes a line and sleeps, until it is asked to stop.
#include "base/heartbeat.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>

#include "base/launched.hpp"

namespace tess::detail {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds period_max(1000);
constexpr int periods_per_timeout = 8;
/// If place 0 fails with its host, the others report the end of the job after the time-out. This is the time for their
/// end, and for the launcher to forward their output.
constexpr milliseconds final_output_time(5000);

void write_until(std::stop_token const& stop, milliseconds failure_timeout) {
  std::mutex mutex;
  std::condition_variable_any asked;
  std::unique_lock lock(mutex);
  milliseconds const period = std::clamp(failure_timeout / periods_per_timeout, milliseconds(10), period_max);
  do {
    char line[64];
    int const bytes = std::snprintf(line, sizeof line, "tess: alive, again within %lld ms\n",
                                    static_cast<long long>((failure_timeout + final_output_time).count()));
    // One write, so that lines of other threads cannot split it.
    static_cast<void>(!write(STDERR_FILENO, line, static_cast<std::size_t>(bytes)));
  } while (!asked.wait_for(lock, stop, period, [&] { return stop.stop_requested(); }));
}

}  // namespace

launcher_heartbeat::launcher_heartbeat(milliseconds failure_timeout) {
  if (launched_rank() == nullptr || launched_after_others()) return;
  // Signals are for the program's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::jthread([failure_timeout](std::stop_token const& stop) { write_until(stop, failure_timeout); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

launcher_heartbeat::~launcher_heartbeat() = default;

}  // namespace tess::detail
