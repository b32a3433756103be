// inbox: messages that wait for a worker, in a buffer of the tile-local memory or in memory of their own.
//
// Threads  any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/tile/transfers.hpp"

namespace tess::detail {

class tile_inbox {
 public:
  using owned_bytes = std::unique_ptr<std::vector<std::byte>>;

  void push_received(tile_fetch const& f) { push({f.source, f.buffer, {f.received_at, f.bytes}, nullptr, false}); }
  void push_owned(place_id source, owned_bytes bytes) {
    std::span<std::byte const> const all(*bytes);
    push({source, tile_fetch::no_buffer, all, std::move(bytes), false});
  }
  /// From the own place; copies the bytes.
  void push_own(place_id own, std::span<std::byte const> bytes) {
    auto kept = std::make_unique<std::vector<std::byte>>(bytes.begin(), bytes.end());
    std::span<std::byte const> const all(*kept);
    own_.fetch_add(1, std::memory_order_relaxed);
    push({own, tile_fetch::no_buffer, all, std::move(kept), true});
  }
  [[nodiscard]] std::size_t own() const noexcept { return own_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }

  /// Delivers at most `budget` messages; returns their number.
  unsigned deliver(place_id at, unsigned budget, message_sink& sink) {
    if (count_.load(std::memory_order_relaxed) == 0) return 0;
    unsigned delivered = 0;
    for (message m; delivered < budget && pop(m); ++delivered) {
      sink.deliver(at, m.source, m.bytes);
      if (m.buffer != tile_fetch::no_buffer) tile_transfers::free_buffer(m.buffer);
    }
    return delivered;
  }

 private:
  struct message {
    place_id source = 0;
    unsigned buffer = tile_fetch::no_buffer;
    std::span<std::byte const> bytes;
    owned_bytes owned;
    bool from_here = false;
  };

  void push(message m) {
    std::lock_guard const lock(mutex_);
    list_.push_back(std::move(m));
    count_.fetch_add(1, std::memory_order_seq_cst);
  }
  bool pop(message& m) {
    if (count_.load(std::memory_order_relaxed) == 0) return false;
    std::lock_guard const lock(mutex_);
    if (list_.empty()) return false;
    m = std::move(list_.front());
    list_.pop_front();
    count_.fetch_sub(1, std::memory_order_relaxed);
    if (m.from_here) own_.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }

  std::atomic<std::size_t> count_{0};
  std::atomic<std::size_t> own_{0};
  std::mutex mutex_;
  std::deque<message> list_;
};

}  // namespace tess::detail
