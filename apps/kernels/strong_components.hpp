// strong_components: the strongly connected components of a directed graph: parts in which every vertex reaches every
// other one.
//
//   Trimming: a vertex without an in-edge, or without an out-edge, from vertices that are left is a component; removing
//   it may leave others so. Forward-backward: what a vertex with many edges reaches, and of that what reaches it, is
//   its component, mostly the giant one. Colouring, for the rest: every vertex passes on the smallest vertex that
//   reaches it; one that keeps its own number is the smallest of its component, which is what reaches it within its
//   colour.
//
// Units     a label is the smallest vertex of the component.
// Cost      at every place 5 bytes for each vertex of the graph, 12 for each own one. Work: each row a few times, and
//           once more for each round of colouring; the number of rounds is that of the components on the longest path
//           from component to component that trimming leaves, at most.
// Source    Slota, Rajamanickam, Madduri, "BFS and coloring-based parallel algorithms for strongly connected components
//           and related problems" (IPDPS 2014). Forward-backward: Fleischer, Hendrickson, Pınar (2000); trimming:
//           McLendon and others (2005); colouring: Orzan (2004).
#pragma once

#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

// By vertex, at the caller's place. The graph needs in-rows if it is directed.
[[nodiscard]] tess::task<std::vector<graph::vertex>> strong_components(graph::distributed_graph g);

// The same by Tarjan's algorithm, at one place.
[[nodiscard]] tess::task<std::vector<graph::vertex>> strong_components_alone(graph::distributed_graph g);

}  // namespace kernels
