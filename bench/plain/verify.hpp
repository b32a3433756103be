// verify: reference results of the kernels by simple sequential algorithms.
//
// Threads   any.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plain/csr.hpp"

namespace plain {

/// Distances from `source` by a queue; `unreached` (kernels.hpp) where there is no path.
[[nodiscard]] std::vector<std::uint32_t> queue_levels(csr_view out, vertex source);

/// Whether the parents form a tree of shortest paths from `source`, all of whose edges are in the graph.
[[nodiscard]] bool is_shortest_path_tree(csr_view out, vertex source, std::span<vertex const> parents);

struct power_iteration_result {
  std::vector<double> scores;
  int iterations;
};

/// PageRank by pushing along out-edges, same rules as pagerank: rank without out-edges is dropped.
[[nodiscard]] power_iteration_result power_iteration(csr_view out, double damping, double tolerance,
                                                     int iterations_max);

/// For each vertex the smallest vertex of its weakly connected component, by union and find.
[[nodiscard]] std::vector<vertex> union_find(csr_view out);

/// Distances from `source` by Dijkstra's algorithm with a heap; `infinitely_far` (kernels.hpp) where there is no path.
[[nodiscard]] std::vector<std::uint32_t> dijkstra(weighted_view out, vertex source);

/// Betweenness centrality as in Brandes's figure, with a queue and a stack.
[[nodiscard]] std::vector<double> brandes(csr_view out, std::span<vertex const> sources);

/// Triangles: for each edge from a smaller to a larger vertex, the common neighbours that are larger than both.
[[nodiscard]] std::uint64_t triangles_by_look_up(csr_view undirected);

}  // namespace plain
