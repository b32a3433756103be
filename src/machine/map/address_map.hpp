// address_map: the regions of the global address space, from a table; and the local window of a tile.
//
//   A machine has one flat map of 64 bits: TLM(t), partition(t) cached and uncached, devices(t). Below them lies the
//   local window [0, 2^40), which is an alias, different in every tile, of the tile's own TLM followed by the tail of
//   its own partition. It is relocated before the L1 (local_window); everything behind a hart uses global addresses.
//
// Units     bytes.
// Errors    overlaps() returns two overlapping regions; the caller reports an address without a region.
// Cost      find() is a binary search; the region found last is tried first.
// Threads   one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tess/machine/registers.hpp"

namespace tess::machine {

inline constexpr std::uint64_t local_window_end = std::uint64_t{1} << 40U;

enum class region_kind : std::uint8_t { tlm, partition, partition_uncached, device, scratchpad };

struct region {
  region_kind kind = region_kind::tlm;
  std::uint32_t tile = 0;  ///< Its home.
  std::uint64_t base = 0;
  std::uint64_t size_bytes = 0;
  std::uint32_t memory_tile = 0;    ///< For a partition: the tile with its DDR.
  std::uint64_t memory_offset = 0;  ///< For a partition: its start in that DDR.

  [[nodiscard]] bool holds(std::uint64_t address) const noexcept { return address - base < size_bytes; }
  [[nodiscard]] std::uint64_t end() const noexcept { return base + size_bytes; }
};
[[nodiscard]] std::string to_text(region const& one);

class address_map {
 public:
  /// In any order; they must not overlap.
  explicit address_map(std::vector<region> regions);

  [[nodiscard]] region const* find(std::uint64_t address) const noexcept;
  /// The region of this kind of a tile; null if there is none.
  [[nodiscard]] region const* of(region_kind kind, std::uint32_t tile) const noexcept;
  [[nodiscard]] std::vector<region> const& regions() const noexcept { return regions_; }

  /// The first two that overlap; a region that reaches into the local window is returned twice.
  [[nodiscard]] static std::optional<std::pair<region, region>> overlap(std::vector<region> regions);

 private:
  std::vector<region> regions_;  ///< By base.
  mutable std::size_t last_ = 0;
};

/// Relocation of one tile: the TLM, then the tail of its partition; at the window's end the tile's devices. If the
/// image is in memory, the tail has all of it but what must be in the TLM.
struct local_window {
  std::uint64_t tlm_base = 0;
  std::uint64_t tlm_bytes = 0;
  std::uint64_t tail_base = 0;  ///< Global address that follows the TLM in the window.
  std::uint64_t tail_bytes = 0;
  std::uint64_t device_base = 0;
  std::uint64_t tlm_first = 0;  ///< Program addresses [tlm_first, tlm_bytes) are in the TLM.
  bool in_memory = false;       ///< The image is: the tail begins at address 0, not behind the TLM.

  /// The program address of the tail's first byte.
  [[nodiscard]] std::uint64_t tail_first() const noexcept { return in_memory ? 0 : tlm_bytes; }
  /// How many bytes a program has, from address 0 on.
  [[nodiscard]] std::uint64_t program_bytes() const noexcept { return tail_first() + tail_bytes; }
  /// How many of `bytes` from an address on are in one memory.
  [[nodiscard]] std::uint64_t together(std::uint64_t address, std::uint64_t bytes) const noexcept {
    if (address < tlm_first) return std::min(bytes, tlm_first - address);
    return address < tlm_bytes ? std::min(bytes, tlm_bytes - address) : bytes;
  }
  /// The global address of a program's address; nothing if it lies in a hole of the window.
  [[nodiscard]] std::optional<std::uint64_t> global(std::uint64_t address) const noexcept {
    if (address < tlm_bytes && address >= tlm_first) return tlm_base + address;
    if (address >= local_window_end) return address;
    if (address - tail_first() < tail_bytes) return tail_base + (address - tail_first());
    if (address >= registers::own_devices) return device_base + (address - registers::own_devices);
    return std::nullopt;
  }
  /// The address within the window of a global address, if it has one.
  [[nodiscard]] std::optional<std::uint64_t> local(std::uint64_t address) const noexcept {
    if (address - tlm_base < tlm_bytes && address - tlm_base >= tlm_first) return address - tlm_base;
    if (address - tail_base >= tail_bytes) return std::nullopt;
    std::uint64_t const in_tail = address - tail_base + tail_first();
    return in_tail >= tlm_first && in_tail < tlm_bytes ? std::nullopt : std::optional(in_tail);
  }
};

}  // namespace tess::machine
