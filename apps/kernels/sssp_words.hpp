// sssp_words: shortest paths by delta stepping that relaxes each edge by fetch_min on the distance, at any place.
//
//   A vertex that came nearer is marked at its owner by a second atomic; the owner works on those of the current bin.
//   The distances are those of sssp.hpp, bit by bit.
//
// Units     Distance is std::uint32_t or double, like the weights. delta > 0: in units of distance.
// Threads   one task, for all.
// Cost      an atomic for each edge relaxed that leads to another place or makes an own vertex nearer, and one for each
//           vertex that came nearer; 2 bits for each vertex, for the time of the call. A sweep over the own vertices of
//           a bin costs one reduction.
// Source    GAP (atomics.hpp), whose relaxation is a loop of compare-and-swap; sssp.hpp has what delta stepping is.
#pragma once

#include "distributed/edge_weights.hpp"
#include "kernels/atomics.hpp"
#include "kernels/sssp.hpp"

namespace kernels {

// `distances`: blocks as of the graph; infinitely_far where there is no path.
template <class Distance>
[[nodiscard]] tess::task<sssp_result> sssp_by_words(graph::distributed_graph g, graph::edge_weights w,
                                                    tess::global_array<Distance> distances, std::vector<vertex> sources,
                                                    double delta, atomic_counts& taken, pace how = pace::overlapping);

}  // namespace kernels
