// transfer_engine: a thread that moves the transfers of many callers over one connection, overlapped.
//
//   Each transfer is cut into chunks of at most 1 MiB, as in `connection`. Chunks of all transfers take turns, so a
//   long transfer does not delay short ones, and as many are in flight as the server receives. Bytes move between
//   socket and the callers' memory without a copy in between; headers of several chunks share a system call.
//
// Threads  submit(): any. `ended` of a transfer runs on the engine's thread.
// Errors   a refusal ends its transfer. If the connection breaks, or nothing moves for the failure time-out, all
//          transfers end as lost; the next one connects again.
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

class transfer_engine {
 public:
  using connector = std::function<std::unique_ptr<connection>()>;

  /// `connect` makes a connection that has presented its tokens; it may throw. `failed` is called for every failed
  /// transfer, `broken` for every connection that breaks; true: its transfers are repeated on the next one. `patience`:
  /// how long an answer may take now. All are called on the thread.
  transfer_engine(connector connect, std::function<void()> failed, std::function<bool()> broken,
                  std::function<std::chrono::milliseconds()> patience);
  transfer_engine(transfer_engine const&) = delete;
  transfer_engine& operator=(transfer_engine const&) = delete;
  /// Ends all transfers as lost.
  ~transfer_engine();

  void submit(transfer& t);
  /// Later transfers use a new connection, because there are other tokens to present.
  void reconnect() { stale_.store(true, std::memory_order_relaxed); }

 private:
  void run();
  [[nodiscard]] bool wait(int socket, bool sends);
  void end_all(std::vector<transfer*>& ended);

  connector connect_;
  std::function<void()> failed_;
  std::function<bool()> broken_;
  std::function<std::chrono::milliseconds()> patience_;
  descriptor event_;  // an eventfd
  std::atomic<bool> stale_{false};
  std::atomic<bool> stops_{false};
  std::atomic<bool> sleeps_{false};
  std::mutex mutex_;  // protects what follows
  std::vector<transfer*> submitted_;
  background_thread thread_;
};

}  // namespace tess::rmem
