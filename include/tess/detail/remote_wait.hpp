// remote_wait: a task, or a thread, waits for what a thread of a memory client does; and that thread is gone from it
// before it goes on, so that nothing is used after it ended.
//
// Threads  expect(), wait: the one that waits. arrived(): the other one, once.
// Cost     a task: that of a counter. Blocked: the worker polls and resumes none of its tasks; a thread outside of a
//          job sleeps 50 µs at a time.
#pragma once

#include <atomic>
#include <exception>

#include "tess/counter.hpp"
#include "tess/task.hpp"

namespace tess::rmem::detail {

/// It ends by itself: a server that is gone is noticed.
inline constexpr tess::detail::wait_kind remote_memory_wait{"remote memory"};

class remote_wait {
 public:
  remote_wait() = default;
  remote_wait(remote_wait const&) = delete;
  remote_wait& operator=(remote_wait const&) = delete;
  ~remote_wait() { leave(); }

  /// Before the other thread knows of it.
  void expect() noexcept {
    under_way_.store(true, std::memory_order_relaxed);
    cell_.expect(1);
  }
  /// It came to nothing: nobody will call arrived().
  void forget() noexcept {
    cell_.acknowledge(1);
    under_way_.store(false, std::memory_order_relaxed);
  }
  void arrived(std::exception_ptr failure = {}) noexcept {
    failure_ = std::move(failure);
    cell_.acknowledge(1);
    // release: the last that this thread does here.
    under_way_.store(false, std::memory_order_release);
  }

  /// co_await it, then check().
  auto done() noexcept { return tess::detail::cell_awaiter{cell_, remote_memory_wait}; }
  void block() noexcept;
  /// After either: waits for the other thread to be gone, and throws what it said.
  void check() {
    leave();
    if (failure_) std::rethrow_exception(std::exchange(failure_, {}));
  }

 private:
  void leave() noexcept {
    if (under_way_.load(std::memory_order_acquire)) block();
  }

  tess::detail::completion cell_;
  std::atomic<bool> under_way_{false};
  std::exception_ptr failure_;
};

}  // namespace tess::rmem::detail
