// inbox: messages that arrived by UCX and wait for poll(), and the credit that their senders get back afterwards.
//
// Threads  any.
// Cost     a lock for each message; its memory is reused.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "tess/error.hpp"

namespace tess::detail {

class ucx_inbox {
 public:
  struct message {
    place_id source = 0;
    std::uint32_t cost = 0;  ///< credit that it holds
    std::vector<std::byte> bytes;
  };
  struct credit {
    place_id to;
    std::uint32_t cost;
  };

  explicit ucx_inbox(place_id places) : owed_(places) {}

  [[nodiscard]] std::vector<std::byte> take_memory(std::size_t size) {
    std::vector<std::byte> bytes;
    if (std::lock_guard const lock(mutex_); !spare_.empty()) {
      bytes = std::move(spare_.back());
      spare_.pop_back();
    }
    bytes.resize(size);
    return bytes;
  }
  void push(message&& m) {
    std::lock_guard const lock(mutex_);
    messages_.push_back(std::move(m));
    waiting_.store(messages_.size(), std::memory_order_seq_cst);
  }
  [[nodiscard]] bool pop(message& m) {
    if (waiting_.load(std::memory_order_relaxed) == 0) return false;
    std::lock_guard const lock(mutex_);
    if (messages_.empty()) return false;
    m = std::move(messages_.front());
    messages_.pop_front();
    waiting_.store(messages_.size(), std::memory_order_relaxed);
    return true;
  }
  [[nodiscard]] bool empty() const noexcept { return waiting_.load(std::memory_order_seq_cst) == 0; }

  /// The message was delivered. `owes`: its sender is to get its credit back.
  void delivered(message&& m, bool owes) {
    std::lock_guard const lock(mutex_);
    if (m.bytes.capacity() <= spare_bytes_max && spare_.size() < spares_max) spare_.push_back(std::move(m.bytes));
    if (!owes || m.cost == 0) return;
    if (owed_[m.source] == 0) owed_to_.push_back(m.source);
    owed_[m.source] += m.cost;
    owes_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] std::vector<credit> take_owed() {
    std::vector<credit> owed;
    if (!owes_.load(std::memory_order_relaxed)) return owed;
    std::lock_guard const lock(mutex_);
    for (place_id const p : owed_to_) owed.push_back({p, std::exchange(owed_[p], 0)});
    owed_to_.clear();
    owes_.store(false, std::memory_order_relaxed);
    return owed;
  }

 private:
  static constexpr std::size_t spares_max = 256;
  static constexpr std::size_t spare_bytes_max = 8192;

  std::mutex mutex_;
  std::deque<message> messages_;
  std::vector<std::vector<std::byte>> spare_;
  std::vector<std::uint32_t> owed_;  ///< by place
  std::vector<place_id> owed_to_;
  std::atomic<std::size_t> waiting_{0};
  std::atomic<bool> owes_{false};
};

}  // namespace tess::detail
