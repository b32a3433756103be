// general_pagerank: PageRank with everything that is usually asked for: weights of edges, where walks restart, where
// they go from vertices without out-edges, and the scores to begin with.
//
//   Each place pulls the shares of its vertices' in-neighbours, as the class pagerank does, and sums are as
//   reproducible. With weights an edge gets the part of its source's rank that its weight is of the sum of its source's
//   weights; the owner of a vertex learns the weights of the vertex's in-edges once. A vertex whose weights sum up to 0
//   counts as one without out-edges.
//
// Units     scores: their sum is 1. Vectors are by vertex, and are divided by their sums.
// Errors    tess::error for a vector of another length, with a negative number or one that is not finite, or without a
//           positive one.
// Cost      at every place 16 bytes for each vertex of the graph, up to 40 for each own one, and with weights 8 for
//           each own entry of the in-rows. An iteration costs a reduction and the transfer of the shares that own rows
//           refer to.
// Source    Page et al. (1999); options, iteration and its end as in NetworkX 3.6 (`pagerank`).
#pragma once

#include <optional>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "distributed/edge_weights.hpp"

namespace kernels {

struct general_pagerank_options {
  double damping = 0.85;
  double tolerance = 1e-6;  // ends when the scores change in sum by less than this times the number of vertices
  int iterations_max = 100;
  std::vector<double> restart;   // empty: all vertices alike
  std::vector<double> dangling;  // where the rank of vertices without out-edges goes; empty: as restart
  std::vector<double> start;     // empty: all vertices alike
};

struct general_pagerank_result {
  std::vector<double> scores;  // by vertex
  int iterations = 0;
  double change = 0;       // sum of absolute changes of the scores in the last iteration
  bool converged = false;  // ended by the tolerance
};

// At the caller's place. The graph needs in-rows if it is directed. Without weights all edges count alike.
[[nodiscard]] tess::task<general_pagerank_result> general_pagerank(graph::distributed_graph g,
                                                                   std::optional<graph::edge_weights> weights,
                                                                   general_pagerank_options options);

// The scores after as many iterations by pushing, at one place.
[[nodiscard]] tess::task<std::vector<double>> general_pagerank_alone(graph::distributed_graph g,
                                                                     std::optional<graph::edge_weights> weights,
                                                                     general_pagerank_options options, int iterations);

}  // namespace kernels
