// communities: groups of vertices with many edges inside and few between: by Louvain's method, or by label propagation.
//
//   Louvain: vertices move to the neighbouring community that raises the modularity most (local_moving.hpp); then each
//   community becomes a vertex, and the same again, until no community gains by joining another one. Graphs of up to
//   alone_max vertices, which all others become, are moved at place 0 alone, one vertex after the other.
//
//   Label propagation: each vertex takes the label that most of its neighbours have, by weight, until no vertex wants
//   another one; among equally frequent ones a random one.
//
//   Modularity: the share of the weight inside of communities, less `resolution` times what random edges with the same
//   degrees would have there: sum over c of in(c) / 2m - resolution * (strength(c) / 2m)^2, m the weight of all edges.
//
// Threads   called by one task, at place 0.
// Cost      that of local_moving; Louvain also, once a level, coarse_graph's. The result takes 4 bytes a vertex.
// Source    Blondel, Guillaume, Lambiotte, Lefebvre, "Fast unfolding of communities in large networks" (2008);
//           Raghavan, Albert, Kumara, "Near linear time algorithm to detect community structures" (2007).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "distributed/edge_weights.hpp"

namespace kernels {

using graph::vertex;

struct louvain_rules {
  double resolution = 1;
  std::uint64_t seed = 1;
  std::uint64_t alone_max = 4096;
};

struct communities_result {
  std::vector<vertex> labels;  // of each vertex: the smallest vertex of its community
  std::uint64_t communities = 0;
  unsigned levels = 0;
  unsigned rounds = 0;  // of all levels
};

// A directed graph must have been loaded as symmetric: directions are ignored. Without weights each edge weighs 1.
[[nodiscard]] tess::task<communities_result> louvain(graph::distributed_graph g, louvain_rules rules = {},
                                                     std::optional<graph::edge_weights> w = {});
[[nodiscard]] tess::task<communities_result> propagated_labels(graph::distributed_graph g, std::uint64_t seed = 1,
                                                               std::optional<graph::edge_weights> w = {});

// By the definition, at one place, from the edges.
struct communities_check {
  double modularity = 0;
  bool labelled = true;       // each label is the smallest vertex that has it
  double merge_gain_max = 0;  // what the modularity gains if two communities become one
  double label_lead_max = 0;  // by how much another label's share of a vertex's neighbours exceeds its own one's
};
[[nodiscard]] tess::task<communities_check> check_communities(graph::distributed_graph g,
                                                              std::vector<vertex> const& labels, double resolution,
                                                              std::optional<graph::edge_weights> w = {});

}  // namespace kernels
