// heap: allocates blocks in a range of segment offsets, aligned and padded to cache lines, with a header line each.
//
//   Segregated free lists (four per power of two) over boundary tags. Allocation uses the first list whose blocks all
//   fit; freeing merges neighbours; both take constant time. Memory is committed on demand.
//
// Units    bytes at the interface, lines (64 bytes) inside.
// Threads  the caller holds the place's lock.
// Source   M. Masmano et al., "TLSF: a new dynamic memory allocator for real-time systems" (ECRTS 2004).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace tess::detail {

class heap {
 public:
  /// Serves offsets [begin, end) from `base`; `commit(offset, bytes)` makes memory usable, or returns false.
  heap(std::byte* base, std::uint64_t begin, std::uint64_t end,
       std::function<bool(std::uint64_t offset, std::uint64_t bytes)> commit);

  /// Offset of a block of at least `bytes` bytes; 0: there is no room.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  /// False: `offset` is no block that allocate() returned.
  [[nodiscard]] bool release(std::uint64_t offset);

  /// The bytes of a block that allocate() returned and that was not released; 0: `offset` is none.
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t offset) const noexcept;

  /// Bytes that can still be allocated, apart from fragmentation.
  [[nodiscard]] std::uint64_t left_bytes() const noexcept { return left_lines_ * line; }

 private:
  static constexpr std::uint64_t line = 64;
  static constexpr std::uint64_t magic = 0x7465737368656170;  // "tessheap"
  static constexpr unsigned bins = 4 * 48;

  struct tag {
    std::uint64_t lines;       ///< of the block, this tag included
    std::uint64_t lines_left;  ///< of the block to the left; 0: none
    std::uint64_t next, prev;  ///< offsets in the free list; only while free
    std::uint64_t check;       ///< offset ^ magic while allocated, 0 while free
  };
  static_assert(sizeof(tag) <= line);

  [[nodiscard]] tag& at(std::uint64_t offset) const noexcept { return *reinterpret_cast<tag*>(base_ + offset); }
  static unsigned bin_of(std::uint64_t lines) noexcept;
  void insert(std::uint64_t offset) noexcept;
  void remove(std::uint64_t offset) noexcept;
  std::uint64_t take_free(std::uint64_t lines) noexcept;
  std::uint64_t extend(std::uint64_t lines);
  void set_left_of_next(std::uint64_t offset) noexcept;

  std::byte* base_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t top_;             ///< blocks lie in [begin_, top_)
  std::uint64_t last_lines_ = 0;  ///< of the block that ends at top_
  std::uint64_t left_lines_;
  std::array<std::uint64_t, bins> first_{};
  std::array<std::uint64_t, bins / 64> occupied_{};
  std::function<bool(std::uint64_t, std::uint64_t)> commit_;
};

}  // namespace tess::detail
