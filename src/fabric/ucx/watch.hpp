// watch: the progress thread of a process: it serves places whose workers do not poll, and detects that another process
// has ended or is stopped.
//
//   It serves a place if none of its workers has polled for a millisecond and none sleeps on its event file. The pidfd
//   of a process of this host reports at once that the process has ended. All places form a ring of heartbeats, in
//   which each watches the one before it, so that a stopped process or a lost host is detected within the failure
//   time-out. This thread sends the heartbeats, so a busy place does not seem to have failed.
//
//   If the launcher ends, nobody collects the process's output and exit code any more: this thread ends the process.
//
// Threads  construct, stop: one; the rest any.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "fabric/ucx/place.hpp"

namespace tess::detail {

class ucx_watch {
 public:
  struct peer {
    place_id place = 0;
    int process_file = -1;  ///< a pidfd, or -1: on another host
  };
  struct calls {
    std::function<void(ucx_place&)> serve;              ///< progresses a place and wakes a reader of its messages
    std::function<void(ucx_place&)> wake;               ///< wakes a sleeping reader of its messages
    std::function<void()> handle_failures;              ///< those that were reported since the last call
    std::function<void(place_id, char const*)> report;  ///< a place failed, and how that showed
  };

  /// `launcher`: its process, or 0.
  ucx_watch(ucx_job& job, std::vector<ucx_place*> places, std::vector<peer> peers, int launcher,
            std::chrono::milliseconds timeout, calls then);
  ~ucx_watch();
  ucx_watch(ucx_watch const&) = delete;
  ucx_watch& operator=(ucx_watch const&) = delete;

  /// A failure was reported.
  void wake() noexcept;
  /// A heartbeat of that place arrived.
  void heartbeat(place_id by) noexcept;
  /// From here on the end of a process is no failure.
  void expect_ends() noexcept { ending_.store(true, std::memory_order_relaxed); }

 private:
  using clock = std::chrono::steady_clock;

  void run();
  bool wait(bool serving, bool sleeping);
  void look_at_processes(std::vector<int> const& ended);
  void end_without_launcher() noexcept;
  void beat();
  [[nodiscard]] place_id neighbour(int step) const noexcept;

  ucx_job& job_;
  std::vector<ucx_place*> places_;
  std::vector<peer> peers_;
  int launcher_file_;  ///< its pidfd, or -1: none, or in another PID namespace
  std::chrono::milliseconds timeout_;
  calls then_;
  int wake_file_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> ending_{false};
  std::atomic<place_id> watched_{0};
  std::atomic<clock::rep> heartbeat_{0};
  clock::time_point next_beat_{};
  clock::time_point last_look_{};
  std::thread thread_;
};

}  // namespace tess::detail
