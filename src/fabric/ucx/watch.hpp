// watch: one thread of a process that never computes: it serves places whose workers do not poll, and notices that
//   another process is gone or stands still.
//
//   Served is a place when none of its workers polled for a millisecond and none sleeps on its event file. A process of
//   this host is watched through its pidfd: the system tells at once that it ended. All places form a ring of
//   heartbeats, each answering for the one before it, so that a stopped process or a vanished host shows after at most
//   the failure time-out. Heartbeats come from this thread: a busy place is not taken for a failed one.
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
    std::function<void(ucx_place&)> serve;              ///< moves a place on and wakes who reads its messages
    std::function<void(ucx_place&)> wake;               ///< who reads its messages, if he sleeps
    std::function<void()> handle_failures;              ///< what was reported since
    std::function<void(place_id, char const*)> report;  ///< a place failed, and how that showed
  };

  ucx_watch(ucx_job& job, std::vector<ucx_place*> places, std::vector<peer> peers, std::chrono::milliseconds timeout,
            calls then);
  ~ucx_watch();
  ucx_watch(ucx_watch const&) = delete;
  ucx_watch& operator=(ucx_watch const&) = delete;

  /// A failure was reported.
  void wake() noexcept;
  void heard(place_id by) noexcept;
  /// From here on processes may end.
  void expect_ends() noexcept { ending_.store(true, std::memory_order_relaxed); }

 private:
  using clock = std::chrono::steady_clock;

  void run();
  bool wait(bool serving, bool sleeping);
  void look_at_processes(std::vector<int> const& ended);
  void beat();
  [[nodiscard]] place_id neighbour(int step) const noexcept;

  ucx_job& job_;
  std::vector<ucx_place*> places_;
  std::vector<peer> peers_;
  std::chrono::milliseconds timeout_;
  calls then_;
  int wake_file_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> ending_{false};
  std::atomic<place_id> before_{0};
  std::atomic<clock::rep> heard_{0};
  clock::time_point next_beat_{};
  clock::time_point last_look_{};
  std::thread thread_;
};

}  // namespace tess::detail
