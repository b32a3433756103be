// places: the memories of all places, from the tile table, and the translation of a place's addresses.
//
//   A program addresses its own memory by its local window: the tile-local memory, then the tail of its partition; or,
//   if its image is in memory, the tail, with a part of it in the tile-local memory.
//   Other tiles use global addresses. A place's segment is the front of its partition, which has global addresses only.
//
// Units     bytes.
// Threads   any: constant after construction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/tile/registers.hpp"
#include "tess/detail/words/global_address.hpp"
#include "tess/error.hpp"

namespace tess::detail {

class tile_places {
 public:
  struct place {
    std::uint64_t tile = 0;
    std::uint64_t tlm = 0;        ///< global
    std::uint64_t partition = 0;  ///< global, cached: the address of the segment for its owner
    std::uint64_t uncached = 0;   ///< global, uncached: for others
    std::uint64_t tail = 0;       ///< global: behind the segment; in the local window behind the TLM
  };

  static constexpr std::uint64_t window_end = std::uint64_t{1} << 40U;  ///< of a program's local window

  tile_places();

  [[nodiscard]] place_id own() const noexcept { return own_; }
  [[nodiscard]] place const& of(place_id p) const noexcept { return places_[p]; }
  [[nodiscard]] place_id places() const noexcept { return static_cast<place_id>(places_.size()); }
  [[nodiscard]] place_id place_of_tile(std::uint64_t tile) const noexcept { return place_of_tile_[tile]; }
  [[nodiscard]] std::uint64_t segment_bytes() const noexcept { return segment_bytes_; }
  [[nodiscard]] std::uint64_t tlm_bytes() const noexcept { return tlm_bytes_; }

  /// The global address for an address that place `p` uses.
  [[nodiscard]] std::uint64_t global(place_id p, std::uint64_t address) const noexcept {
    if (in_tlm(address)) return places_[p].tlm + address;
    if (address < window_end) return places_[p].tail + (address - tail_first_);
    return address;
  }
  /// The same, for loads, stores and AMOs of other tiles.
  [[nodiscard]] std::byte* word(place_id p, std::uint64_t address) const noexcept {
    std::uint64_t const wide = global(p, address);
    bool const cached = wide - places_[p].partition < places_[p].uncached - places_[p].partition;
    return reinterpret_cast<std::byte*>(  // NOLINT: an address of the machine
        cached ? places_[p].uncached + (wide - places_[p].partition) : wide);
  }
  /// How many of `bytes` from a place's address on are in one memory.
  [[nodiscard]] std::uint64_t together(std::uint64_t address, std::uint64_t bytes) const noexcept {
    if (address < tlm_first_) return std::min(bytes, tlm_first_ - address);
    return address < tlm_end_ ? std::min(bytes, tlm_end_ - address) : bytes;
  }
  [[nodiscard]] bool in_tlm(std::uint64_t address) const noexcept {
    return address < tlm_end_ && address >= tlm_first_;
  }

 private:
  std::vector<place> places_;
  std::vector<place_id> place_of_tile_;
  place_id own_ = 0;
  std::uint64_t segment_bytes_ = ~std::uint64_t{0};
  std::uint64_t tlm_bytes_ = 0;
  std::uint64_t tlm_first_ = 0;  ///< addresses of the program from here to the next are in the tile-local memory
  std::uint64_t tlm_end_ = 0;
  std::uint64_t tail_first_ = 0;  ///< address of the tail's first byte
};

}  // namespace tess::detail
