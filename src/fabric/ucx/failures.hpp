// failures: reports of failed places, from their detection to their handling, and from there to the runtime.
//
// Threads  any; report() also under the lock of a place, because its consequences are handled later.
// Cost     one relaxed load where there is nothing.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric.hpp"

namespace tess::detail {

class ucx_failures {
 public:
  struct reported {
    place_id place;
    std::string how;
    std::optional<place_id> root{};  ///< of the tree along which another place told it
  };

  void report(reported&& r) {
    std::lock_guard const lock(mutex_);
    reported_.push_back(std::move(r));
    is_reported_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_reported() const noexcept { return is_reported_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::vector<reported> take_reports() {
    if (!is_reported()) return {};
    std::lock_guard const lock(mutex_);
    is_reported_.store(false, std::memory_order_relaxed);
    return std::exchange(reported_, {});
  }

  void publish(place_id p, std::string text) {
    std::lock_guard const lock(mutex_);
    published_.push_back({p, std::move(text)});
    any_.store(true, std::memory_order_relaxed);
    is_published_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] std::vector<place_failure> take_published() {
    if (!is_published_.load(std::memory_order_relaxed)) return {};
    std::lock_guard const lock(mutex_);
    is_published_.store(false, std::memory_order_relaxed);
    return std::exchange(published_, {});
  }
  /// Some place failed.
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }

 private:
  std::mutex mutex_;
  std::vector<reported> reported_;
  std::vector<place_failure> published_;
  std::atomic<bool> is_reported_{false};
  std::atomic<bool> is_published_{false};
  std::atomic<bool> any_{false};
};

}  // namespace tess::detail
