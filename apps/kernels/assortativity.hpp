// assortativity: the correlation, over all edges, of the degrees of their ends.
//
//   Pearson's coefficient. An edge of an undirected graph counts in both directions; for a directed one each end has
//   its out-degree or its in-degree, as requested. The sums are integers, so the result is that of exact arithmetic,
//   rounded once for each of three steps.
//
// Units     -1 to 1; not a number if all ends have the same degree, or there is no edge.
// Cost      4 bytes for each vertex of the graph at every place, and a pass over the rows.
// Source    Newman, "Mixing patterns in networks" (2003), equation 21.
#pragma once

#include <cstdint>

#include "distributed/distributed_graph.hpp"

namespace kernels {

enum class edge_end_degree : std::uint8_t { out, in };

struct assortativity_rules {
  edge_end_degree source = edge_end_degree::out;
  edge_end_degree target = edge_end_degree::in;
};

// At the caller's place. A directed graph needs in-rows.
[[nodiscard]] tess::task<double> degree_assortativity(graph::distributed_graph g, assortativity_rules rules = {});

// The same by sums of differences from the mean, at one place.
[[nodiscard]] tess::task<double> degree_assortativity_alone(graph::distributed_graph g, assortativity_rules rules = {});

}  // namespace kernels
