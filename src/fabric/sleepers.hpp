// sleepers: lets threads of one process sleep until another thread wakes them.
//
//   A sleeper announces itself, asks once more whether there is nothing to do, and waits on a futex. A waker publishes
//   its item, then looks for announced sleepers. Both sides use sequentially consistent operations, so at least one of
//   them sees the other: no wake-up is lost.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>

#include "fabric/fabric.hpp"

namespace tess::detail {

class sleepers {
 public:
  explicit sleepers(std::uint32_t threads) : states_(std::make_unique<state[]>(threads)) {}

  /// Calls nothing_to_do() after the announcement.
  template <class Question>
  void sleep(std::uint32_t thread, deadline until, Question nothing_to_do) {
    std::atomic<std::uint32_t>& s = states_[thread].asleep;
    s.store(1, std::memory_order_seq_cst);
    if (nothing_to_do()) {
      auto const left = until - std::chrono::steady_clock::now();
      if (left.count() > 0) {
        auto const ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
        timespec timeout{};
        timeout.tv_sec = ns / 1'000'000'000;
        timeout.tv_nsec = ns % 1'000'000'000;
        syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&s), FUTEX_WAIT_PRIVATE, 1, &timeout, nullptr, 0);
      }
    }
    s.store(0, std::memory_order_relaxed);
  }

  /// True if the thread slept. The caller published its item with a sequentially consistent operation.
  bool wake(std::uint32_t thread) noexcept {
    std::atomic<std::uint32_t>& s = states_[thread].asleep;
    if (s.load(std::memory_order_seq_cst) == 0) return false;
    if (s.exchange(0, std::memory_order_seq_cst) == 0) return false;
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&s), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    return true;
  }

 private:
  struct alignas(64) state {
    std::atomic<std::uint32_t> asleep{0};
  };
  std::unique_ptr<state[]> states_;
};

}  // namespace tess::detail
