// bfs_verify: follows the tree at one place, and checks the rows at all places.
#include "kernels/bfs_verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "kernels/gather_block_array.hpp"

namespace kernels {

namespace {

constexpr std::uint32_t no_depth = UINT32_MAX;

// The depth of each vertex by its chain of parents; false if there is a cycle or a nonexistent parent.
bool climb(std::vector<vertex> const& parents, std::vector<vertex> const& sources, std::vector<std::uint32_t>& depths) {
  for (vertex const source : sources) {
    if (parents[source] != source) return false;
    depths[source] = 0;
  }
  std::vector<vertex> path;
  for (vertex v = 0; v < parents.size(); ++v) {
    vertex at = v;
    for (path.clear(); parents[at] != unreached && depths[at] == no_depth; at = parents[at]) {
      path.push_back(at);
      if (parents[at] >= parents.size() || path.size() > parents.size()) return false;
    }
    if (path.empty()) continue;
    if (depths[at] == no_depth) return false;  // a parent that was not reached
    for (std::uint32_t depth = depths[at]; !path.empty(); path.pop_back()) depths[path.back()] = ++depth;
  }
  return true;
}

// Where the arrays are for the places that check them, and the results of these.
struct shared_tree {
  std::uint64_t size;
  tess::global_ptr<vertex> parents;
  tess::global_ptr<std::uint32_t> depths;
  tess::global_ptr<std::uint64_t> tree_edges;  // edges from a parent to its child
  tess::global_ptr<std::uint64_t> wrong_edges;
};

tess::task<void> check_rows(graph::distributed_graph g, shared_tree tree) {
  std::vector<vertex> parents(tree.size);
  std::vector<std::uint32_t> depths(tree.size);
  co_await tess::get(tree.parents, std::span(parents));
  co_await tess::get(tree.depths, std::span(depths));
  graph::graph_part const& part = g.part();
  std::uint64_t tree_edges = 0;
  std::uint64_t wrong_edges = 0;
  for (vertex i = 0; i < part.count; ++i) {
    vertex const u = part.first + i;
    if (depths[u] == no_depth) continue;
    for (vertex const v : part.out.neighbours(i)) {
      // no_depth is larger than any depth: a vertex behind a reached one must be reached.
      if (depths[v] > depths[u] + 1) ++wrong_edges;
      if (parents[v] == u && depths[v] == depths[u] + 1) ++tree_edges;
    }
    co_await tess::yield();
  }
  co_await tess::fetch_add(tree.tree_edges, tree_edges);
  co_await tess::fetch_add(tree.wrong_edges, wrong_edges);
}

}  // namespace

tess::task<bfs_tree> gather_tree(graph::distributed_graph g, tess::global_array<vertex> parents,
                                 std::vector<vertex> const& sources) {
  bfs_tree tree{co_await gather_block_array(g, parents), {}};
  tree.depths.assign(g.vertices(), no_depth);
  if (!climb(tree.parents, sources, tree.depths)) tree.depths.clear();
  co_return tree;
}

tess::task<std::string> verify(graph::distributed_graph g, bfs_tree const& tree, bfs_result const& result) {
  if (tree.depths.empty()) co_return "the parents form no tree";
  std::vector<std::uint64_t> levels;
  for (std::uint32_t const depth : tree.depths) {
    if (depth == no_depth) continue;
    if (depth >= levels.size()) levels.resize(std::size_t{depth} + 1);
    ++levels[depth];
  }
  if (levels != result.levels) co_return "the levels' sizes differ from the tree's";

  std::size_t const n = tree.parents.size();
  shared_tree const shared{n, tess::allocate<vertex>(n), tess::allocate<std::uint32_t>(n),
                           tess::allocate<std::uint64_t>(), tess::allocate<std::uint64_t>()};
  std::ranges::copy(tree.parents, shared.parents.local());
  std::ranges::copy(tree.depths, shared.depths.local());
  *shared.tree_edges.local() = *shared.wrong_edges.local() = 0;
  co_await tess::on_all_places(
      [](graph::distributed_graph graph, shared_tree t) -> tess::task<void> { return check_rows(graph, t); }, g,
      shared);
  std::uint64_t const tree_edges = co_await tess::get(shared.tree_edges);
  std::uint64_t const wrong_edges = co_await tess::get(shared.wrong_edges);
  tess::deallocate(shared.wrong_edges);
  tess::deallocate(shared.tree_edges);
  tess::deallocate(shared.depths);
  tess::deallocate(shared.parents);
  if (wrong_edges != 0) co_return fmt::format("{} edges span more than one level", wrong_edges);
  std::uint64_t const roots = levels.empty() ? 0 : levels[0];
  if (tree_edges + roots != result.reached)
    co_return fmt::format("{} vertices were reached, but {} have an edge from their parent", result.reached - roots,
                          tree_edges);
  co_return std::string();
}

}  // namespace kernels
