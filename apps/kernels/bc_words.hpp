// bc_words: betweenness centrality whose searches claim vertices at any place by compare_swap on their distance, and
// count paths by fetch_add.
//
//   Brandes's algorithm as in GAPBS: away from the source by atomics, and back by reading, where a sum goes along a row
//   and nothing is added up elsewhere. Paths are counted in integers, whose sum has no order: the scores are the same,
//   bit by bit, for every number of places and workers.
//
// Threads   one task, for all.
// Errors    bc_result::counted is false if two vertices have more than 2^64 - 1 shortest paths: then the scores mean
//           nothing.
// Cost      for each source: a compare_swap for each edge that may lead to a vertex of the next level, a fetch_add for
//           each that does, a fetch_or for each vertex, a get for each edge. 21 bytes for each vertex, for the time of
//           the call.
// Source    GAP (atomics.hpp); bc.hpp is the form in blocks, which pulls in both directions.
#pragma once

#include "kernels/atomics.hpp"
#include "kernels/bc.hpp"

namespace kernels {

// `scores` as of bc::scores(); `sources` at the caller's place.
[[nodiscard]] tess::task<bc_result> bc_by_words(graph::distributed_graph g, tess::global_array<double> scores,
                                                std::vector<vertex> sources, atomic_counts& taken,
                                                pace how = pace::overlapping);

}  // namespace kernels
