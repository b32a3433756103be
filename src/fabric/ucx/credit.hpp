// credit: the bytes of requests that a place has sent and their receivers have not yet delivered.
//
//   A receiver gives credit back after delivery; a place that fails gives back all of its credit.
//
// Threads  any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "tess/error.hpp"

namespace tess::detail {

class ucx_credit {
 public:
  ucx_credit(place_id places, std::uint64_t limit)
      : limit_(limit), taken_by_(new std::atomic<std::uint64_t>[places]()) {}

  /// False: too much is under way.
  [[nodiscard]] bool take(place_id to, std::uint32_t cost) noexcept {
    std::uint64_t before = taken_.load(std::memory_order_relaxed);
    do {
      // A message larger than the limit may be the only one under way.
      if (before != 0 && before + cost > limit_) return false;
    } while (!taken_.compare_exchange_weak(before, before + cost, std::memory_order_relaxed));
    taken_by_[to].fetch_add(cost, std::memory_order_relaxed);
    return true;
  }
  /// At most what that place has: a packet may claim any amount.
  void give_back(place_id by, std::uint64_t credit) noexcept {
    std::uint64_t taken = taken_by_[by].load(std::memory_order_relaxed);
    while (!taken_by_[by].compare_exchange_weak(taken, taken - std::min(taken, credit), std::memory_order_relaxed)) {
    }
    taken_.fetch_sub(std::min(taken, credit), std::memory_order_relaxed);
  }
  void give_back_all(place_id by) noexcept { give_back(by, ~std::uint64_t{0}); }

 private:
  std::uint64_t limit_;
  std::atomic<std::uint64_t> taken_{0};
  std::unique_ptr<std::atomic<std::uint64_t>[]> taken_by_;  ///< by place
};

}  // namespace tess::detail
