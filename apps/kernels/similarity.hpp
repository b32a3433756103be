// similarity: how many neighbours two vertices have in common, for many pairs, and ratios of that.
//
//   A pair is counted by the owner of its end of higher degree. The row of the other end, the shorter one, comes from
//   its owner: each row that a place needs once, some millions of entries at a time.
//
//   Jaccard: common neighbours over all neighbours of either; overlap: over the neighbours of the end that has fewer; 0
//   where there are none. Directions are ignored, self-loops too: a vertex is not its own neighbour.
//
// Threads   called by one task, at place 0, which has the pairs and gets the results.
// Cost      work: for each pair the shorter row, and each longer row once, as bits that the others are looked up in,
//           or, if it is much longer, searched. Memory at a place: 56 bytes for each pair that it counts, a bit a
//           vertex for each worker; at place 0 4 bytes a vertex.
// Source    Jaccard (1901); Szymkiewicz (1934), Simpson (1943). Definitions of networkx.jaccard_coefficient.
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

using graph::vertex;

struct vertex_pair {
  vertex a;
  vertex b;
};

enum class similarity_measure : std::uint8_t { jaccard, overlap };

// A directed graph must have been loaded as symmetric. The pairs may be any vertices, adjacent or not.
[[nodiscard]] tess::task<std::vector<std::uint32_t>> common_neighbours(graph::distributed_graph g,
                                                                       std::vector<vertex_pair> const& pairs);
[[nodiscard]] tess::task<std::vector<double>> similarities(graph::distributed_graph g,
                                                           std::vector<vertex_pair> const& pairs,
                                                           similarity_measure measure);

// The same by sets, at one place.
[[nodiscard]] tess::task<std::vector<double>> similarities_alone(graph::distributed_graph g,
                                                                 std::vector<vertex_pair> const& pairs,
                                                                 similarity_measure measure);

}  // namespace kernels
