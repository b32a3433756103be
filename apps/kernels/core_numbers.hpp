// core_numbers: the largest k for which each vertex is in the k-core: the largest part of the graph in which every
// vertex has k neighbours or more.
//
//   Peeling by levels: at level k, vertices that have k neighbours left are removed and their neighbours lose one each,
//   which may remove these. The order of removals within a level does not matter, so a place removes all that it can
//   before places exchange the losses at other places. A degree stops at the level at which its vertex is removed: in
//   the end the degrees are the core numbers. Levels at which no vertex is removed are skipped.
//
// Cost      12 bytes for each own vertex. Work: the rows, and a pass over the vertices left for each level, in all no
//           more than the rows. A level costs one reduction and a few exchanges.
// Source    Kabir, Madduri, "Parallel k-core decomposition on multicore platforms" (IPDPSW 2017).
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

// By vertex, at the caller's place. A directed graph must have been loaded as symmetric.
[[nodiscard]] tess::task<std::vector<std::uint32_t>> core_numbers(graph::distributed_graph g);

// The same by removing the vertex of least degree, one after the other, at one place.
[[nodiscard]] tess::task<std::vector<std::uint32_t>> core_numbers_alone(graph::distributed_graph g);

}  // namespace kernels
