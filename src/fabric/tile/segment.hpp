// segment: the front of the tile's partition. Its memory always exists, so that a commit only counts.
//
// Threads  commit: one at a time for each half; the others any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fabric/fabric.hpp"

namespace tess::detail {

class tile_segment {
 public:
  tile_segment(std::byte* base, std::uint64_t bytes) : base_(base), bytes_(bytes) {
    // A segment starts as zeros, also in the program's second job.
    for (unsigned half = 0; half < 2; ++half) {
      std::memset(base_ + half * (bytes_ / 2), 0, used(half));
      used(half) = 0;
    }
  }
  tile_segment(tile_segment const&) = delete;
  tile_segment& operator=(tile_segment const&) = delete;

  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  [[nodiscard]] bool commit(std::uint64_t offset, std::uint64_t bytes) noexcept {
    std::uint64_t const middle = bytes_ / 2;
    unsigned const half = offset < middle ? 0 : 1;
    std::uint64_t const begin = half * middle;
    if (offset > bytes_ || bytes > bytes_ - offset || offset + bytes > begin + middle) return false;
    used(half) = std::max(used(half), offset + bytes - begin);
    return true;
  }
  [[nodiscard]] memory_room room() const {
    std::uint64_t const left = bytes_ - used(0) - used(1);
    return {left, bytes_, left, "the tile's partition of the machine's memory"};
  }

 private:
  /// The bytes that may not be zero; outlives the fabric.
  static std::uint64_t& used(unsigned half) noexcept {
    static std::uint64_t bytes[2] = {0, 0};
    return bytes[half];
  }

  std::byte* base_;
  std::uint64_t bytes_;
};

}  // namespace tess::detail
