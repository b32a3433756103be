// spanning_forest: the edges that connect every component of an undirected graph with the least total weight.
//
//   Boruvka's rounds: each component picks its lightest edge to another one, and components that picked each other
//   become one. Equal weights are ordered by the ends, so the forest is unique. In the first round components are
//   vertices, whose rows have all their edges; then the edges between components are kept at the owners of their
//   smaller ends, which offer the lightest to the owners of the components.
//
// Cost      at every place 12 bytes for each vertex of the graph; 16 to 24 for each own vertex and for each edge that
//           is left after the first round. At most log2(vertices) rounds; in each, all places get the links of all
//           components, as often as the longest chain of picks can be halved.
// Source    Borůvka (1926); in parallel: Chung, Condon, "Parallel implementation of Borůvka's minimum spanning tree
//           algorithm" (IPPS 1996).
#pragma once

#include <vector>

#include "distributed/distributed_graph.hpp"
#include "distributed/edge_weights.hpp"

namespace kernels {

struct weighted_edge {
  graph::vertex u;  // the smaller end
  graph::vertex v;
  double weight;

  friend bool operator==(weighted_edge const&, weighted_edge const&) = default;
};

struct forest {
  std::vector<weighted_edge> edges;  // by their ends
  double weight = 0;
};

// At the caller's place. A directed graph must have been loaded as symmetric.
[[nodiscard]] tess::task<forest> spanning_forest(graph::distributed_graph g, graph::edge_weights weights);

// The same by Kruskal's algorithm, at one place.
[[nodiscard]] tess::task<forest> spanning_forest_alone(graph::distributed_graph g, graph::edge_weights weights);

}  // namespace kernels
