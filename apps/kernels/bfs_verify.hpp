// bfs_verify: verifies a search without repeating it, as Graph500 does: a tree of real edges bounds every distance from
// below, and no edge spans two levels, which bounds it from above.
//
//   The distances come from following parents, not from the search. Every place checks its own rows.
//
//   A tree for each source that has one.
//
// Units     distances in edges; `unreached` where there is no path.
// Cost      8 bytes for each vertex of the graph, at every place.
#pragma once

#include <string>
#include <vector>

#include "kernels/bfs.hpp"

namespace kernels {

struct bfs_tree {
  std::vector<vertex> parents;
  std::vector<std::uint32_t> depths;  // empty if the parents form no tree
};

// All parents and the distances they imply, at the caller's place.
[[nodiscard]] tess::task<bfs_tree> gather_tree(graph::distributed_graph g, tess::global_array<vertex> parents,
                                               std::vector<vertex> const& sources);

// The error in the tree or in the result; empty if there is none.
[[nodiscard]] tess::task<std::string> verify(graph::distributed_graph g, bfs_tree const& tree,
                                             bfs_result const& result);

}  // namespace kernels
