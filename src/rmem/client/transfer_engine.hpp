// transfer_engine: transfers of many callers over one connection, overlapped, by a thread of its own.
//
//   Each transfer is cut into pieces of at most 1 MiB, as connection does it; pieces of all transfers take turns, so
//   that a long transfer does not keep short ones waiting. As many are under way as the server listens to. Bytes go
//   from and to the callers' memory without a copy between; headers of several pieces share a system call.
//
// Threads  submit(): any. `ended` of a transfer runs on the portal's thread.
// Errors   a refusal ends its transfer. If the connection breaks, or nothing moves for the failure time-out, all
//          transfers end as lost; the next one looks for the server again.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "rmem/client/background_thread.hpp"
#include "rmem/client/connection.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

class portal {
 public:
  using connector = std::function<std::unique_ptr<connection>()>;

  /// `connect` gives a connection that has shown its tokens; it may throw. `failed` hears of every transfer that
  /// failed. Both are called on the portal's thread.
  /// `comes_back`: what a broken connection had under way is done again by the next.
  portal(connector connect, std::function<void()> failed, std::function<bool()> comes_back,
         std::chrono::milliseconds timeout);
  portal(portal const&) = delete;
  portal& operator=(portal const&) = delete;
  /// Ends what is under way as lost.
  ~portal();

  void submit(transfer& t);
  /// What comes from here on goes over a connection of its own: other tokens are to be shown.
  void reconnect() { stale_.store(true, std::memory_order_relaxed); }

 private:
  void run();
  [[nodiscard]] bool wait(int socket, bool sends);
  void end_all(std::vector<transfer*>& ended);

  connector connect_;
  std::function<void()> failed_;
  std::function<bool()> comes_back_;
  std::chrono::milliseconds timeout_;
  descriptor told_;  // an eventfd
  std::atomic<bool> stale_{false};
  std::atomic<bool> stops_{false};
  std::atomic<bool> sleeps_{false};
  std::mutex mutex_;  // of the next
  std::vector<transfer*> submitted_;
  quiet_thread thread_;
};

}  // namespace tess::rmem
