// allocation_map: which bytes of the segments are allocated, for jobs that verify every access (`--fabric checked`).
//
//   A byte for each line of 64 says how many of its bytes belong to a block, or that the block was given back.
//
// Units    bytes. Blocks begin at lines.
// Threads  any; the state of a block changes while nobody may access it.
// Cost     a 64th of the address range, of which only what is used has pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tess/place.hpp"

namespace tess::detail {

class allocation_map {
 public:
  /// For segments of these sizes, by place. Throws std::bad_alloc.
  explicit allocation_map(std::vector<std::uint64_t> const& segment_bytes);
  ~allocation_map();
  allocation_map(allocation_map const&) = delete;
  allocation_map& operator=(allocation_map const&) = delete;

  void add(place_id place, std::uint64_t offset, std::uint64_t bytes) noexcept;
  void remove(place_id place, std::uint64_t offset, std::uint64_t bytes) noexcept;

  /// Why the range must not be accessed; null: it may.
  [[nodiscard]] char const* what_is_wrong(place_id place, std::uint64_t offset, std::uint64_t bytes) const noexcept {
    // Most are words in the middle of a block.
    std::uint64_t const in_line = offset % line;
    if (in_line + bytes <= line && __atomic_load_n(&lines_[place][offset / line], __ATOMIC_RELAXED) == line) [[likely]]
      return nullptr;
    return look(place, offset, bytes);
  }

 private:
  static constexpr std::uint64_t line = 64;

  [[nodiscard]] char const* look(place_id place, std::uint64_t offset, std::uint64_t bytes) const noexcept;

  std::vector<std::span<std::uint8_t>> lines_;
};

}  // namespace tess::detail
