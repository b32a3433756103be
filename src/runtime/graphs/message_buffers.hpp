// message_buffers: where the copier `message_passing` keeps streams on tiles: memory that DMA reaches past all caches.
//
// Units    bytes; buffers are whole lines.
// Threads  any.
// Errors   null: there is no room, and whoever asked takes memory of the segment.
// Source   the message-passing `at` of X10 on OctoPOS keeps its buffers in the tile-local memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "runtime/memory/heap.hpp"

namespace tess::detail {

class message_buffers {
 public:
  explicit message_buffers(std::span<std::byte> memory)
      : memory_(memory), heap_(memory.data(), 64, memory.size(), [](std::uint64_t, std::uint64_t) { return true; }) {}

  [[nodiscard]] std::byte* allocate(std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    std::uint64_t const offset = heap_.allocate(bytes);
    return offset == 0 ? nullptr : memory_.data() + offset;
  }
  /// False: it is none that was allocated.
  [[nodiscard]] bool release(std::byte const* buffer) {
    std::lock_guard const lock(mutex_);
    return holds(buffer, 0) && heap_.release(static_cast<std::uint64_t>(buffer - memory_.data()));
  }
  [[nodiscard]] std::uint64_t left_bytes() {
    std::lock_guard const lock(mutex_);
    return heap_.left_bytes();
  }
  /// So many bytes from there on are in this memory.
  [[nodiscard]] bool holds(std::byte const* begin, std::uint64_t bytes) const noexcept {
    auto const offset = static_cast<std::uint64_t>(begin - memory_.data());
    return offset < memory_.size() && bytes <= memory_.size() - offset;
  }

 private:
  std::span<std::byte> memory_;
  std::mutex mutex_;
  heap heap_;
};

}  // namespace tess::detail
