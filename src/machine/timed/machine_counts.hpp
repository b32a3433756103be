// machine_counts: counters of all parts of a machine, added up; the difference of two is what happened in between.
//
//   Tiles: those that run the program. Memories: all. Loads are shares of the time, averaged over these.
//
// Units     ps, bytes, cycles of the tiles' clock.
// Threads   one.
// Source    the columns are those of NEMESYS (MEMSYS 2019), table 6.
#pragma once

#include <cstdint>

#include "machine/tile/grid.hpp"

namespace tess::machine {

struct machine_counts {
  std::uint64_t time_ps = 0;
  std::uint64_t bus_cycles = 0;
  std::uint64_t adapter_busy_ps = 0;
  std::uint64_t nca_busy_ps = 0;
  std::uint64_t loads = 0;  ///< Words and lines that tiles read elsewhere, including L2 misses,
  std::uint64_t load_ps = 0;
  std::uint64_t stores = 0;  ///< and those that they wrote, including write-backs.
  std::uint64_t store_ps = 0;
  std::uint64_t memory_busy_ps = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t nma_bytes = 0;
  std::uint64_t nma_busy_ps = 0;
  std::uint64_t nma_requests = 0;
  std::uint64_t nma_objects = 0;
  std::uint64_t system_cycles = 0;  ///< In which a system's hart did not sleep, all tiles.
  std::uint64_t rae_requests = 0;   ///< Requests to network interfaces that perform atomics.
  std::uint64_t rae_hits = 0;
  std::uint64_t rae_entries = 0;
  std::uint64_t rae_merged = 0;
  std::uint64_t rae_memory_accesses = 0;

  [[nodiscard]] static machine_counts of(grid const& g);
  [[nodiscard]] machine_counts since(machine_counts const& before) const noexcept;
};

}  // namespace tess::machine
