// bfs_words: breadth-first search that claims each vertex, at any place, by compare_swap on its parent.
//
//   Top-down only, level by level, as GAPBS's top-down step: a claimed vertex is added to the next frontier by an
//   atomic
//   at its owner.
//
// Threads   one task, for all.
// Cost      a compare_swap for each edge that leads to another place or to an own vertex without parent, and a fetch_or
//           for each vertex; 2 bits for each vertex, for the time of the call.
// Source    GAP (atomics.hpp); bfs.hpp is the form in packets.
#pragma once

#include "kernels/atomics.hpp"
#include "kernels/bfs.hpp"

namespace kernels {

// `parents` as of bfs::parents().
[[nodiscard]] tess::task<bfs_result> bfs_by_words(graph::distributed_graph g, tess::global_array<vertex> parents,
                                                  std::vector<vertex> sources, atomic_counts& taken,
                                                  pace how = pace::overlapping);

}  // namespace kernels
