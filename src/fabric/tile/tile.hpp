// tile: the fabric whose places are tiles of a simulated machine, each with a copy of the program.
//
//   Words of other places are their uncached views: loads, stores and AMOs are done at the word's home, and
//   compare-and-swap is a command of the adapter, so the segments of all places are windows. Messages are remote task
//   invocations; longer ones are fetched by DMA. An idle hart sleeps until something arrives at its tile. Nothing else
//   is coherent between tiles: data is written back before DMA reads it, and DMA writes to tile-local memory only, of
//   which no cache holds a stale copy.
//
// Units     the machine's registers: <tess/machine/registers.hpp>.
// Errors    tess::error where there is no machine with time, or its tile-local memory is too small.
// Source    docs/internals/machine.md, 2, 4 to 6 and 8; NEMESYS (MEMSYS 2019), section 3.
#pragma once

#include <memory>

#include "fabric/fabric.hpp"
#include "fabric/tile/options.hpp"
#include "fabric/wireup.hpp"

namespace tess::detail {

/// This program runs on a simulated machine with timing: there are tiles to ask.
[[nodiscard]] bool on_tiles() noexcept;
/// The copies of the program, and the number of this one, from the tile table. Throws unless on_tiles().
[[nodiscard]] std::unique_ptr<wireup> make_tile_wireup();
/// Harts of this tile that threads may use.
[[nodiscard]] unsigned harts_of_tile() noexcept;

[[nodiscard]] std::unique_ptr<fabric> make_tile_fabric(thread_map const& threads, tile_options const& options,
                                                       std::unique_ptr<wireup> wires);

}  // namespace tess::detail
