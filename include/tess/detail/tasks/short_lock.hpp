// short_lock: excludes other workers of a place for some instructions. Handlers may take it; no task suspends in it.
#pragma once

#include <atomic>

#include "tess/detail/platform.hpp"
#include "tess/detail/tasks/races.hpp"

namespace tess::detail {

class short_lock {
 public:
  bool try_lock() noexcept {
    if (taken_.test_and_set(std::memory_order_acquire)) return false;
    races::acquire(this);
    return true;
  }
  void lock() noexcept {
    while (!try_lock()) spin_pause();
  }
  void unlock() noexcept {
    races::release(this);
    taken_.clear(std::memory_order_release);
  }

 private:
  std::atomic_flag taken_;
};

}  // namespace tess::detail
