// spin_lock: mutual exclusion of workers of one place for a few instructions; yields the processor while it waits.
#pragma once

#include <atomic>
#include <thread>

#include "tess/detail/platform.hpp"

namespace tess::detail {

class spin_lock {
 public:
  void lock() noexcept {
    for (unsigned tries = 0; held_.exchange(true, std::memory_order_acquire); ++tries) {
      while (held_.load(std::memory_order_relaxed)) {
        spin_pause();
        // The holder may need this processor.
        if (++tries % 64 == 0) std::this_thread::yield();
      }
    }
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace tess::detail
