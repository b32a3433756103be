// watch: the progress thread of a process: it serves places whose workers do not poll, and detects that another process
// has ended or is stopped.
//
//   It serves a place if none of its workers has polled for a millisecond (longer where many processes share few
//   processors) and none sleeps on its event file; then it hears its bell, too. All places form a ring, in which each
//   watches the living one before it: by its stamp on the board of the host, or by heartbeats that it sends if it is
//   on another host. So a stopped process or a lost host is detected within the failure time-out. This thread stamps
//   and sends, so a busy place does not seem to have failed. The end of the process before it on the same host shows
//   at once, by its pidfd.
//
//   Places of a host answer for each other: if the next places of a host are silent, the one before them sends its
//   heartbeats to the first that is not, or that is elsewhere. So who watches a silent place also knows whether the
//   places before it are alive, and those that failed with it are reported with it, without another time-out.
//
//   If the launcher ends, nobody collects the process's output and exit code any more: this thread ends the process.
//
// Threads  construct, stop: one; the rest any.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fabric/ucx/doorbell.hpp"
#include "fabric/ucx/place.hpp"

namespace tess::detail {

class ucx_watch {
 public:
  struct calls {
    std::function<void(ucx_place&)> serve;              ///< progresses a place and wakes a reader of its messages
    std::function<void(ucx_place&)> wake;               ///< wakes a sleeping reader of its messages
    std::function<void()> handle_failures;              ///< those that were reported since the last call
    std::function<void(place_id, char const*)> report;  ///< a place failed, and how that showed
  };

  struct surroundings {
    std::vector<place_id> here{};  ///< the places of this host, in order; empty: all places are in this process
    unsigned processes_here = 1;
    int launcher = 0;              ///< its process, or 0
    ucx_doorbell* bell = nullptr;  ///< of the place of this process; null: there is none
  };

  ucx_watch(ucx_job& job, std::vector<ucx_place*> places, surroundings around, std::chrono::milliseconds timeout,
            calls then);
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
  void answer_bell();
  void follow_process();
  void process_ended() noexcept;
  void end_without_launcher() noexcept;
  void beat();
  void send_heartbeats(clock::time_point now);
  void look_back(clock::time_point now);
  [[nodiscard]] clock::time_point alive_at(place_id p) const;
  [[nodiscard]] bool is_here(place_id p) const noexcept;
  [[nodiscard]] bool failed(place_id p) const noexcept { return job_.has_failed(p); }

  ucx_job& job_;
  std::vector<ucx_place*> places_;
  place_id me_;
  surroundings around_;
  std::chrono::milliseconds serving_interval_, sleeping_interval_;
  place_id process_;       ///< the place of this host before this one
  int process_file_ = -1;  ///< its pidfd; -1: there is none
  int launcher_file_;      ///< its pidfd, or -1: none, or in another PID namespace
  std::chrono::milliseconds timeout_;
  calls then_;
  int wake_file_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> ending_{false};
  mutable std::mutex mutex_;
  std::map<place_id, clock::time_point> heard_;  ///< last heartbeats; guarded by mutex_
  place_id watched_;                             ///< the place before this one
  clock::time_point started_;
  clock::time_point watched_since_;  ///< its silence counts from then on
  clock::time_point awake_since_;    ///< the last pause of this process
  clock::time_point next_beat_;
  clock::time_point last_look_;
  std::thread thread_;
};

}  // namespace tess::detail
