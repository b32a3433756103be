// nemesys: `nemesys` on a machine with accelerators: they traverse and copy, and the processors allocate.
//
//   The accelerator near the caller's cache writes the graph back and counts it; the target allocates a region, of
//   which its caches then hold nothing; the accelerator near the caller's memory copies, and if the target has another
//   memory, into a buffer here, from where the copy goes on by DMA. Pointers are final from the start. Without the
//   first one (`no_nca`) a processor traverses the graph, and has each block written back.
//
// Source   "NEMESYS" (MEMSYS 2019), section 3.1.
#pragma once

#include <optional>

#include "fabric/graph_units.hpp"
#include "tess/detail/at_objects.hpp"

namespace tess::detail {

/// Those of this place, or null.
[[nodiscard]] graph_units* accelerators() noexcept;

/// What the place does for graphs that accelerators bring.
[[nodiscard]] graph_receiver& receiver_of_graphs() noexcept;

/// The whole call: `message` has records for deliver(), in it at `arrival` a sent_graph, and is kept until this ends.
/// False: an accelerator could not, so software must. Throws tess::error for what is no sound graph to both.
[[nodiscard]] task<bool> call_near_memory(graph_units& units, void const* root, place_id target,
                                          std::span<std::byte const> message, std::uint64_t arrival, bool no_nca);

/// Copies what `root`, an object of this place, leads to; nothing: an accelerator could not, so software must.
[[nodiscard]] task<std::optional<sent_graph>> copy_near_memory(graph_units& units, void const* root, place_id target,
                                                               bool no_nca = false);

/// As many objects of one word as the graph has, which live as long: so that what the allocator costs other copiers is
/// paid here, too ("NEMESYS", section 5).
void allocate_dummies(region& with, std::uint64_t objects);

/// By a processor: memory has everything of the graph; and how large it is.
[[nodiscard]] graph_size write_back_graph(graph_units& units, void const* root);

}  // namespace tess::detail
