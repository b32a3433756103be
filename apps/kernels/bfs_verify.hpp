// bfs_verify: proves a search right without repeating it, as Graph500 does: a tree of real edges gives every vertex a
// distance that is large enough, and no edge spans two levels, so that none is too large.
//
//   The distances come from following parents, not from the search. Every place checks its own rows.
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

// All parents and the distances that they make, at the caller's place.
[[nodiscard]] tess::task<bfs_tree> gather_tree(graph::distributed_graph g, tess::global_array<vertex> parents,
                                               vertex source);

// What is wrong with the tree or with the result; empty if all is right.
[[nodiscard]] tess::task<std::string> verify(graph::distributed_graph g, bfs_tree const& tree,
                                             bfs_result const& result);

}  // namespace kernels
