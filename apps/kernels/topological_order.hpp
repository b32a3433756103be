// topological_order: an order of a directed graph's vertices in which every edge leads forward, or a cycle.
//
//   Kahn's algorithm: a vertex is ready when all its in-neighbours are done. Its generation is the number of edges on
//   the longest path that ends at it; the order is by generation, then by vertex. Generations do not depend on the
//   order in which vertices become ready, so a place goes on as far as it can between two exchanges.
//
// Cost      8 bytes for each own vertex; each row once. If there is a cycle, the in-rows once more, and 4 bytes for
//           each vertex of the graph at every place, to find it.
// Source    Kahn, "Topological sorting of large networks" (1962).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

struct topological_order {
  std::vector<std::uint32_t> generations;  // by vertex; empty, like the order, if there is a cycle
  std::vector<graph::vertex> order;
  std::vector<graph::vertex> cycle;  // each with an edge to the next, the last one to the first
};

// At the caller's place. The graph must be directed, with in-rows.
[[nodiscard]] tess::task<topological_order> find_topological_order(graph::distributed_graph g);

// What is wrong with a result, or nothing: edges that lead back, generations that are not longest paths, or a cycle
// that is none. At one place.
[[nodiscard]] tess::task<std::string> what_is_wrong(graph::distributed_graph g, topological_order result);

}  // namespace kernels
