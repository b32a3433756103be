// nemesys: the copier `nemesys` on a machine with accelerators: they traverse and copy, the processors allocate.
//
//   The accelerator near the caller's cache writes the graph back and counts it. The target allocates a region and
//   invalidates its lines. The accelerator near the caller's memory copies the graph there; if the target has another
//   memory, into a buffer here, from which DMA moves the copy on. Pointers are final from the start. Without the
//   accelerator near the cache (`no_nca`) a processor traverses the graph and has each block written back.
//
// Source   "NEMESYS" (MEMSYS 2019), section 3.1.
#pragma once

#include <optional>

#include "fabric/graph_units.hpp"
#include "tess/detail/objects/at_objects.hpp"

namespace tess::detail {

/// Those of this place, or null.
[[nodiscard]] graph_units* accelerators() noexcept;

/// What the place does for graphs that accelerators bring.
[[nodiscard]] graph_receiver& receiver_of_graphs() noexcept;

/// Copies what `root`, an object of this place, leads to; nothing: an accelerator could not, so software must.
[[nodiscard]] task<std::optional<sent_graph>> copy_by_accelerators(graph_units& units, void const* root,
                                                                   place_id target, bool no_nca = false);

/// Allocates as many objects of one word as the graph has, which live as long: for comparisons in which nemesys pays
/// what the allocator costs other copiers ("NEMESYS", section 5).
void allocate_dummies(region& with, std::uint64_t objects);

/// A processor traverses the graph and writes all of it back to memory. Returns how large it is.
[[nodiscard]] graph_size write_back_graph(graph_units& units, void const* root);

}  // namespace tess::detail
