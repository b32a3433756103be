// nursery: small chunks of objects for a heap that reuses nothing: side by side in larger blocks of the segment.
//
//   As in a collected heap until its next collection. A block is given back when all its chunks have ended.
//
// Threads  allocate: the worker's own. release: any.
// Errors   out_of_memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tess::detail {

class nursery {
 public:
  static constexpr std::uint64_t chunk_bytes_max = 2032;

  nursery() = default;
  nursery(nursery const&) = delete;
  nursery& operator=(nursery const&) = delete;

  /// Aligned to 16.
  [[nodiscard]] void* allocate(std::uint64_t bytes);
  static void release(void* chunk) noexcept;

 private:
  struct alignas(16) block {
    std::atomic<std::uint64_t> holders{1};  ///< its chunks, and the worker that still makes some in it
  };
  static constexpr std::uint64_t block_bytes = 32768;
  /// In front of each chunk: its block.
  static constexpr std::uint64_t front_bytes = 16;
  static void drop(block* b) noexcept;

  block* current_ = nullptr;
  std::uint64_t used_ = 0;
};

}  // namespace tess::detail
