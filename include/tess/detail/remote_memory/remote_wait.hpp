// remote_wait: lets a task or a thread wait for another thread of a memory client. When the waiter continues, that
// thread no longer accesses this object, so the waiter may destroy it.
//
// Threads  expect() and waiting: the waiter. complete(): the other thread, once.
// Cost     a task: that of a counter. Blocking: a worker polls and resumes none of its tasks; a thread outside of a job
//          sleeps 50 µs at a time.
#pragma once

#include <atomic>
#include <exception>

#include "tess/counter.hpp"
#include "tess/task.hpp"

namespace tess::rmem::detail {

/// It always ends, because a lost server is noticed.
inline constexpr tess::detail::wait_kind remote_memory_wait{"remote memory"};

class remote_wait {
 public:
  remote_wait() = default;
  remote_wait(remote_wait const&) = delete;
  remote_wait& operator=(remote_wait const&) = delete;
  ~remote_wait() { leave(); }

  /// Call it before the other thread can call complete().
  void expect() noexcept {
    in_flight_.store(true, std::memory_order_relaxed);
    cell_.expect(1);
  }
  /// Call it if complete() will not be called.
  void cancel() noexcept {
    cell_.acknowledge(1);
    in_flight_.store(false, std::memory_order_relaxed);
  }
  void complete(std::exception_ptr failure = {}) noexcept {
    failure_ = std::move(failure);
    cell_.acknowledge(1);
    // release: the last access of this thread.
    in_flight_.store(false, std::memory_order_release);
  }

  /// co_await it, then check().
  auto done() noexcept { return tess::detail::cell_awaiter{cell_, remote_memory_wait}; }
  void block() noexcept;
  /// After either wait: waits until the other thread has left, and throws the failure that it reported.
  void check() {
    leave();
    if (failure_) std::rethrow_exception(std::exchange(failure_, {}));
  }

 private:
  void leave() noexcept {
    if (in_flight_.load(std::memory_order_acquire)) block();
  }

  tess::detail::completion cell_;
  std::atomic<bool> in_flight_{false};
  std::exception_ptr failure_;
};

}  // namespace tess::rmem::detail
