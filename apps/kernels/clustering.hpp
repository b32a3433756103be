// clustering: how many of a vertex's neighbours are neighbours of each other, from the triangles of each vertex.
//
//   Coefficient of a vertex with d neighbours and t triangles: t / (d (d - 1) / 2); 0 if d is less than 2. Mean: of all
//   vertices. Transitivity: three times the triangles of the graph over its pairs of edges with a common end.
//
// Threads   called by one task, at place 0.
// Cost      that of triangles by words, and 8 bytes for each vertex of the graph at every place. The result takes 16
//           bytes a vertex.
// Source    Watts, Strogatz, "Collective dynamics of 'small-world' networks" (1998); definitions of NetworkX for
//           undirected graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

using graph::vertex;

struct clustering_result {
  std::vector<std::uint64_t> triangles;  // of each vertex
  std::vector<double> coefficients;
  double mean = 0;
  double transitivity = 0;

  // From the triangles and degrees of all vertices.
  clustering_result() = default;
  clustering_result(std::vector<std::uint64_t> triangles_of, std::vector<vertex> const& degrees);
};

// A directed graph must have been loaded as symmetric: directions are ignored.
[[nodiscard]] tess::task<clustering_result> clustering(graph::distributed_graph g);

// The triangles of each vertex, found at one place by merging rows.
[[nodiscard]] tess::task<std::vector<std::uint64_t>> triangles_of_each_alone(graph::distributed_graph g);

}  // namespace kernels
