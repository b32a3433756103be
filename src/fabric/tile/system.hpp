// system: what this place and the system kernel of its tile, if that runs, have to do with each other.
//
//   The kernel passes the place's messages on through a ring, its mailbox, and gives out memory for graphs that arrive,
//   which the place hands over once and to which each chunk returns through a list.
//
// Threads  serve() and manage(): one, before others; the rest: any.
// Source   docs/machine/system.md; the ring: system_place.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fabric/tile/memory.hpp"
#include "fabric/tile/places.hpp"

namespace tess::detail::tile_system {

/// The kernel serves this place.
[[nodiscard]] inline bool is_used() noexcept {
  return tile_memory::own().by_kernel.load(std::memory_order_relaxed);
}
/// From now on.
void serve(tile_places const& places);
/// The kernel gives out this memory for graphs that arrive; the first block of each begins at `first_block`.
void manage(std::span<std::byte> memory, std::uint64_t first_block, std::uint64_t hashed_least, bool collects);
/// Memory that it gave out is free.
void release(void* chunk) noexcept;

/// A message of the ring.
struct received {
  std::uint64_t tile;
  std::uint64_t words[machine::registers::invoke::words];
};
[[nodiscard]] std::optional<received> take() noexcept;
[[nodiscard]] inline bool nothing_came() noexcept {
  machine::system::place_block& block = tile_memory::own().system;
  std::uint64_t const turn = block.taken.load(std::memory_order_seq_cst);
  return block.ring[turn % machine::system::place_block::slots].turn.load(std::memory_order_seq_cst) != turn + 1;
}

/// M' of a call of this place, at its target.
[[nodiscard]] inline tile_memory::arrival* arrival_of(place_id own, unsigned cell) noexcept {
  tile_memory& memory = tile_memory::own();
  return &memory.arrivals[own * memory.system.cells_of_place + cell];
}

}  // namespace tess::detail::tile_system
