// independent_set: vertices of which no two are adjacent, and to which no other vertex can be added.
//
//   Vertices have random priorities. One that comes before all its neighbours that are undecided is in the set, and its
//   neighbours are out of it. So the set is that of the greedy algorithm that takes the vertices by priority: a
//   function of graph and seed alone.
//
// Cost      at every place 1 byte for each vertex of the graph. The number of rounds grows as log2(vertices)^2 at most;
//           each reads the rows of undecided vertices and gathers the states that these rows refer to.
// Source    Blelloch, Fineman, Shun, "Greedy sequential maximal independent set and matching are parallel on average"
//           (SPAA 2012), after Luby (1986).
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

// By vertex, at the caller's place: 1 in the set, 0 not. A directed graph must have been loaded as symmetric.
[[nodiscard]] tess::task<std::vector<std::uint8_t>> independent_set(graph::distributed_graph g, std::uint64_t seed);

// The same by the greedy algorithm, at one place.
[[nodiscard]] tess::task<std::vector<std::uint8_t>> independent_set_alone(graph::distributed_graph g,
                                                                          std::uint64_t seed);

}  // namespace kernels
