// pagerank_words: PageRank by pushing: a fetch_add for each edge, on the sum of the vertex that it leads to.
//
//   The operands are 64-bit fixed-point numbers, whose sum has no order: the scores are the same, bit by bit, for
//   every number of places and workers. Those of pagerank.hpp, which pulls as GAPBS does and needs no atomic, differ by
//   1e-9 and the error of its floats at most.
//
// Units     scores: their sum is 1, and that of what is pushed at most 1: 2^-62 is the unit.
// Threads   one task, for all.
// Cost      an iteration: a fetch_add for each edge, two barriers. 8 bytes for each vertex, for the time of the call.
// Source    push against pull: Whang et al., "Scalable Data-driven PageRank" (Euro-Par 2015).
#pragma once

#include "kernels/atomics.hpp"
#include "kernels/pagerank.hpp"

namespace kernels {

// `scores` as of pagerank::scores().
[[nodiscard]] tess::task<pagerank_result> pagerank_by_words(graph::distributed_graph g,
                                                            tess::global_array<double> scores, pagerank_rules rules,
                                                            atomic_counts& taken, pace how = pace::overlapping);

}  // namespace kernels
