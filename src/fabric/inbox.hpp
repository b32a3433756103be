// inbox: where messages for one place wait: a bounded ring of one-line slots, many writers, the place's workers read.
//
//   A message of up to 48 bytes lies in its slot, so that it crosses in one cache line; a larger one in a chunk of the
//   sender's, which goes back to the sender when it was read. Credit is a free slot and a free chunk. Replies are never
//   refused: without credit they take the overflow list, bounded by the requests that caused them.
//
// Shapes   slot: sequence, size, source, then 48 bytes or a chunk's address: 64 bytes.
// Source   D. Vyukov, bounded MPMC queue (the sequence numbers).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "fabric/fabric.hpp"

namespace tess::detail {

class chunk_pool;

/// A message too large for a slot.
struct alignas(16) chunk {
  chunk* next = nullptr;
  chunk_pool* owner = nullptr;  ///< null: allocated for this message alone
  std::uint32_t bytes = 0;

  [[nodiscard]] std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

/// The chunks of one sending place; taken by its workers, given back by any thread.
class chunk_pool {
 public:
  static constexpr std::size_t capacity = 4096;  ///< message bytes that a chunk holds
  /// Chunks at most; as many stay in the caches.
  static constexpr std::uint64_t limit_max = 32;

  /// `memory`: bytes that its chunks may have, the credit for large messages; two are allowed in any case.
  explicit chunk_pool(std::uint64_t memory)
      : limit_(static_cast<unsigned>(std::clamp<std::uint64_t>(memory / capacity, 2, limit_max))) {}
  ~chunk_pool();
  chunk_pool(chunk_pool const&) = delete;
  chunk_pool& operator=(chunk_pool const&) = delete;

  /// Null: no credit.
  [[nodiscard]] chunk* take();
  static chunk* make_single(std::size_t bytes);
  static void give_back(chunk* c) noexcept;

 private:
  std::mutex mutex_;
  chunk* free_ = nullptr;
  unsigned made_ = 0;
  unsigned limit_;
  alignas(64) std::atomic<chunk*> returned_{nullptr};
};

class inbox {
 public:
  static constexpr std::uint32_t slots = 256;
  static constexpr std::size_t inline_bytes = 48;

  struct message {
    place_id source;
    std::uint32_t bytes;
    chunk* large;  ///< null: the bytes are in `small`
    alignas(16) std::byte small[inline_bytes];

    [[nodiscard]] std::span<std::byte const> view() const noexcept {
      return {large != nullptr ? large->data() : small, bytes};
    }
  };

  inbox();

  /// False: full. The write is sequentially consistent, so the caller may look for sleepers next.
  [[nodiscard]] bool push(place_id source, std::span<std::byte const> bytes, chunk* large) noexcept;
  /// Never refuses.
  void push_overflow(place_id source, chunk* large);

  /// Takes one message out; false if there is none.
  [[nodiscard]] bool pop(message& m) noexcept;
  [[nodiscard]] bool empty() const noexcept;

 private:
  struct alignas(64) slot {
    std::atomic<std::uint64_t> sequence;
    std::uint32_t bytes;
    place_id source;
    std::uint16_t is_large;
    std::byte data[inline_bytes];
  };
  static_assert(sizeof(slot) == 64);

  bool pop_overflow(message& m) noexcept;

  std::unique_ptr<slot[]> slots_;
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  alignas(64) std::atomic<std::uint64_t> head_{0};
  std::atomic<std::uint32_t> overflowed_{0};
  std::mutex overflow_mutex_;
  std::deque<std::pair<place_id, chunk*>> overflow_;
};

}  // namespace tess::detail
