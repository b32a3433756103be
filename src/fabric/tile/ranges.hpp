// ranges: write-back and invalidation of address ranges in the tile's caches, by each hart's own window and counter.
//
// Threads  each hart its own.
#pragma once

#include <atomic>

#include "fabric/tile/memory.hpp"
#include "fabric/tile/registers.hpp"
#include "tess/assert.hpp"

namespace tess::detail::tile_ranges {

namespace ranges = machine::registers::ranges;

[[nodiscard]] inline tile_memory::unit_counter& own() noexcept {
  std::uint64_t const hart = tile_registers::information_field(machine::registers::information::hart);
  TESS_ASSERT(hart < tile_memory::harts_max);
  return tile_memory::own().ranges[hart];
}

/// Waits at most for the range before. `trigger`: the command in this hart's `nma` window starts afterwards.
inline void ask(ranges::operation_code what, void const* begin, std::uint64_t bytes, bool trigger = false) {
  std::uint64_t const window = tile_registers::own_window(machine::registers::unit::ranges);
  tile_memory::unit_counter& counter = own();
  auto* const value = const_cast<std::uint64_t*>(&counter.value);
  std::atomic_ref(*value).fetch_add(1, std::memory_order_relaxed);
  tile_registers::store(window + ranges::operation, what);
  tile_registers::store(window + ranges::address, reinterpret_cast<std::uint64_t>(begin));
  tile_registers::store(window + ranges::bytes, bytes);
  tile_registers::store(window + ranges::counter, reinterpret_cast<std::uint64_t>(&counter));
  tile_registers::store(window + ranges::trigger, trigger ? 1 : 0);
  // A window runs one command at a time, with the fields at the ring of its doorbell.
  do tile_registers::ring(window);
  while (tile_registers::load(window + ranges::doorbell) == ranges::full);
  TESS_ASSERT(tile_registers::load(window + ranges::doorbell) != ranges::wrong);
}

[[nodiscard]] inline bool all_ended() noexcept {
  return own().value == 0;
}

/// Waits until all ranges that this hart requested have ended.
inline void settle() noexcept {
  while (!all_ended()) {
  }
  asm volatile("fence rw, rw" ::: "memory");
}

}  // namespace tess::detail::tile_ranges
