// pes: where the PEs of the job are: which tile each has, and how far from this PE's memory its own lies there.
//
//   A tile of one PE has its memory where all have it. Where a tile has several, the images of the program lie behind
//   each other, and an address of this PE is moved by the distance between the two images.
//
// Threads   constant after open().
#pragma once

#include <cstddef>
#include <cstdint>

#include "fabric/tile/registers.hpp"
#include "tess/detail/words/global_address.hpp"

namespace tess::shmem {

struct pe_place {
  std::uint64_t tile;
  std::uint64_t tlm;       ///< the global address of its tile-local memory
  std::uint64_t tail;      ///< of the memory behind it, in the view that goes through the tile's cache
  std::uint64_t distance;  ///< of its image from this PE's
};

class pe_table {
 public:
  /// Reads the tile table, and fills the look-aside buffer: object pe + 1 is the tile of a PE.
  void open();

  [[nodiscard]] int own() const noexcept { return own_; }
  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] pe_place const& of(int pe) const noexcept { return places_[pe]; }
  /// Several PEs have one tile: its memory is shared out, and so are its units.
  [[nodiscard]] bool shares_tile() const noexcept { return shares_tile_; }
  [[nodiscard]] std::uint64_t tlm_bytes() const noexcept { return tlm_bytes_; }
  /// What the PE has at a symmetric address of this PE, as the fabrics name it.
  [[nodiscard]] std::uint64_t there(int pe, void const* address) const noexcept {
    return detail::global_address(static_cast<place_id>(pe),
                                  reinterpret_cast<std::uint64_t>(address) + places_[pe].distance);
  }
  /// The global address of what a PE calls `address`; the first of so many bytes that lie together there.
  [[nodiscard]] std::uint64_t global(int pe, std::uint64_t address) const noexcept {
    return address < tlm_bytes_ ? places_[pe].tlm + address : places_[pe].tail + (address - tlm_bytes_);
  }
  [[nodiscard]] std::uint64_t together(std::uint64_t address, std::uint64_t bytes) const noexcept {
    return address < tlm_bytes_ && bytes > tlm_bytes_ - address ? tlm_bytes_ - address : bytes;
  }
  [[nodiscard]] static std::uint64_t object_of(int pe) noexcept { return static_cast<std::uint64_t>(pe) + 1; }

 private:
  int own_ = 0;
  int count_ = 0;
  bool shares_tile_ = false;
  pe_place* places_ = nullptr;
  std::uint64_t tlm_bytes_ = 0;
};
extern constinit pe_table all_pes;

}  // namespace tess::shmem
