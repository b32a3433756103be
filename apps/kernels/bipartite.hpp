// bipartite: two colours for the vertices so that the ends of every edge differ, or an edge on a cycle of odd length.
//
//   All components are searched at the same time, each from its smallest vertex, in rounds. A vertex has the colour of
//   its distance: even or odd. If the ends of an edge have the same colour, the edge and the paths to its ends make a
//   closed walk of odd length, so no colouring exists.
//
// Units     colours as in NetworkX: 1 for the smallest vertex of a component, 0 for its neighbours; 0 for a vertex
//           without neighbours.
// Cost      that of `components`, and a traversal; 1 byte for each vertex of the graph at every place. As many rounds
//           as the longest distance from the smallest vertex of a component.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

struct two_colouring {
  std::vector<std::uint8_t> colours;  // by vertex; empty if there is an odd edge
  // The first edge (smaller end first) whose ends have the same colour.
  std::optional<std::pair<graph::vertex, graph::vertex>> odd;
};

// At the caller's place. A directed graph must have been loaded as symmetric.
[[nodiscard]] tess::task<two_colouring> two_colours(graph::distributed_graph g);

// Whether there is a colouring, by union and find, at one place.
[[nodiscard]] tess::task<bool> is_bipartite_alone(graph::distributed_graph g);

}  // namespace kernels
