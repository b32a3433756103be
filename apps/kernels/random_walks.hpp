// random_walks: many walks along out-edges, each step drawn as node2vec does; the same for every number of places.
//
//   A walker is where its vertex is, and works as long as it stays at its place; all places then exchange the walkers
//   that leave. Random numbers are a function of the seed, the walk, the step and the attempt, so they do not depend on
//   where and when a step is taken.
//
//   With p and q a step depends on the vertex before: the weight of an edge is divided by p if it leads back there, by
//   q if the vertex before has no edge to its end. A step is drawn by weight alone and accepted in proportion to that
//   factor; edges back, whose factor may be the largest, have an area of their own. Whether the vertex before has the
//   edge is asked at its owner, unless the number drawn decides without that.
//
// Shapes    result: [walks][length + 1] vertices; no_step after a vertex without out-edges.
// Threads   called by one task, at place 0.
// Cost      O(1) expected a step without weights, O(log degree) with them. 4 bytes a step at place 0; with weights 8
//           bytes for each own entry. An exchange for each step of the walk that changes places most often.
// Source    Grover, Leskovec, "node2vec: Scalable Feature Learning for Networks" (KDD 2016); rejection, with outliers
//           apart: Yang, Zhang, Chen, Ma, Bian, "KnightKing: A Fast Distributed Graph Random Walk Engine" (SOSP 2019).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "distributed/edge_weights.hpp"

namespace kernels {

using graph::vertex;

inline constexpr vertex no_step = UINT32_MAX;

struct walk_rules {
  std::uint64_t length = 80;  // steps
  std::uint64_t seed = 1;
  double p = 1;  // from 0.001 to 1000, like q; small values lead back
  double q = 1;  // small values lead away
};

// Walk k begins at starts[k]. Edges with the weight 0 are not taken.
[[nodiscard]] tess::task<std::vector<vertex>> random_walks(graph::distributed_graph g,
                                                           std::optional<graph::edge_weights> weights,
                                                           std::vector<vertex> const& starts, walk_rules rules);

// What is wrong with walks: a step that is no edge, or an end where there is one to take; empty if nothing is.
[[nodiscard]] tess::task<std::string> check_walks(graph::distributed_graph g,
                                                  std::optional<graph::edge_weights> weights,
                                                  std::vector<vertex> const& starts, std::uint64_t length,
                                                  std::vector<vertex> const& walks);

}  // namespace kernels
