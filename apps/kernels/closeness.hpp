// closeness: sums of distances and of their reciprocals, which closeness and harmonic centrality are made of.
//
//   Searches run in batches of up to 256, or one after the other where paths are long, because they meet rarely there.
//   Either they go from some vertices along the edges: then every vertex counts the bits that reach it at a distance.
//   Or they go back from some vertices: then places count for each of these how many vertices it reaches, by adding
//   bits in columns.
//
// Units     distances: edges. What a vertex's sums are over are the other vertices with a path to it.
// Threads   called by one task, at place 0.
// Cost      that of multi_source_bfs for each batch. The result takes 24 bytes for each vertex or target.
// Source    definitions of NetworkX. From some sources only: Eppstein, Wang, "Fast approximation of centrality"
//           (SODA 2001). The sums are the same, bit by bit, for every number of places and workers.
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

using graph::vertex;

struct distance_sums {
  std::vector<std::uint64_t> reached;  // how many other vertices have a path to it
  std::vector<double> distances;       // sum over these
  std::vector<double> reciprocals;     // sum of 1 / distance
};

// For each vertex of the graph: over paths from the sources. A directed graph needs rows of both kinds.
[[nodiscard]] tess::task<distance_sums> sums_from(graph::distributed_graph g, std::vector<vertex> sources);
// For each of the targets: over paths from all vertices.
[[nodiscard]] tess::task<distance_sums> sums_to(graph::distributed_graph g, std::vector<vertex> targets);

// The same, by one search after the other at one place.
[[nodiscard]] tess::task<distance_sums> sums_from_alone(graph::distributed_graph g, std::vector<vertex> sources);
[[nodiscard]] tess::task<distance_sums> sums_to_alone(graph::distributed_graph g, std::vector<vertex> targets);

// Closeness from the sums over `others` vertices, of which `reached` have a path: the reciprocal of the mean distance,
// times the share of vertices that have a path if `improved` (Wasserman, Faust, 1994).
[[nodiscard]] constexpr double closeness_of(std::uint64_t reached, double distances, std::uint64_t others,
                                            bool improved) noexcept {
  if (distances <= 0 || others == 0) return 0;
  double const r = static_cast<double>(reached);
  return r / distances * (improved ? r / static_cast<double>(others) : 1);
}

}  // namespace kernels
