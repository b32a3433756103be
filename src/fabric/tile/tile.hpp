// tile: places on tiles of a simulated machine, one copy of the program each; and how the runtime asks for it.
//
//   Words of other places are their uncached views: loads, stores and AMOs are done at the word's home, and
//   compare-and-swap is a command of the adapter, so the segments of all places are windows. Messages are remote task
//   invocations; what does not fit into one is fetched by DMA. An idle hart sleeps until its tile is told something.
//   Between tiles nothing else is coherent: what DMA reads has been written back before, and it writes to tile-local
//   memory only, which no cache of a tile can hold in an old state.
//
// Units     the machine's registers: <tess/machine/registers.hpp>.
// Errors    tess::error where there is no machine with time, or its tile-local memory is too small.
// Source    docs/internals/machine.md, 2, 4 to 6 and 8; NEMESYS (MEMSYS 2019), section 3.
#pragma once

#include <memory>

#include "fabric/fabric.hpp"
#include "fabric/wireup.hpp"

namespace tess::detail {

/// This program runs on a simulated machine; and on one with time, so that there are tiles to ask.
[[nodiscard]] bool on_machine() noexcept;
[[nodiscard]] bool on_tiles() noexcept;
/// Copies of the program, and which this one is, from the tile table. Throws unless on_tiles().
[[nodiscard]] std::unique_ptr<wireup> make_tile_wireup();
/// Harts of this tile that threads may use.
[[nodiscard]] unsigned harts_of_tile() noexcept;

[[nodiscard]] std::unique_ptr<fabric> make_tile_fabric(thread_map const& threads, std::unique_ptr<wireup> wires);

}  // namespace tess::detail
