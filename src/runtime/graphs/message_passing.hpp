// message_passing: where the copier `message_passing` keeps streams on a simulated machine: uncached memory for DMA.
//
//   By DMA a stream takes four steps: the sender serialises it into a buffer of its own and announces its
//   size; the receiver answers with a buffer; the sender writes the stream there by DMA, then sends the call; the
//   receiver deserialises and frees the buffer.
//
// Units    bytes; buffers are whole cache lines.
// Threads  any.
// Errors   null: there is no room, and the caller uses memory of the segment.
// Source   the message-passing `at` of X10 on OctoPOS keeps its buffers in the tile-local memory; "NEMESYS" (MEMSYS
//          2019) calls it the state of practice.
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
  /// False: it was not allocated here.
  [[nodiscard]] bool release(std::byte const* buffer) {
    std::lock_guard const lock(mutex_);
    return contains(buffer, 0) && heap_.release(static_cast<std::uint64_t>(buffer - memory_.data()));
  }
  [[nodiscard]] std::uint64_t left_bytes() {
    std::lock_guard const lock(mutex_);
    return heap_.left_bytes();
  }
  /// [begin, begin + bytes) lies in this memory.
  [[nodiscard]] bool contains(std::byte const* begin, std::uint64_t bytes) const noexcept {
    auto const offset = static_cast<std::uint64_t>(begin - memory_.data());
    return offset < memory_.size() && bytes <= memory_.size() - offset;
  }

 private:
  std::span<std::byte> memory_;
  std::mutex mutex_;
  heap heap_;
};

/// Frees a message buffer of this place.
void release_message_buffer(std::byte const* buffer) noexcept;

}  // namespace tess::detail
