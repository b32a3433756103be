// overflow: a list for replies that find no room in a mailbox, and for messages larger than any chunk.
//
//   The number of requests that the replies answer bounds it.
//
// Threads  any.
// Cost     one relaxed load while it is empty.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "tess/error.hpp"

namespace tess::detail {

class overflow {
 public:
  struct message {
    place_id source = 0;
    std::vector<std::byte> bytes;
  };

  void push(place_id source, std::span<std::byte const> bytes) {
    message m{source, {bytes.begin(), bytes.end()}};
    std::lock_guard const lock(mutex_);
    messages_.push_back(std::move(m));
    // Sequentially consistent: pairs with a reader that has announced its sleep.
    count_.fetch_add(1, std::memory_order_seq_cst);
  }
  [[nodiscard]] bool pop(message& m) {
    if (count_.load(std::memory_order_relaxed) == 0) return false;
    std::lock_guard const lock(mutex_);
    if (messages_.empty()) return false;
    m = std::move(messages_.front());
    messages_.pop_front();
    count_.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }
  [[nodiscard]] bool empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }

 private:
  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  std::deque<message> messages_;
};

}  // namespace tess::detail
