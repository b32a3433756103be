// components_verify: union by the smaller vertex, find with halving, over all rows in turn.
#include <algorithm>
#include <numeric>

#include "kernels/components.hpp"
#include "kernels/row_stream.hpp"

namespace kernels {

namespace {

graph::vertex find(std::vector<graph::vertex>& parents, graph::vertex v) {
  while (parents[v] != v) v = parents[v] = parents[parents[v]];
  return v;
}

}  // namespace

tess::task<std::vector<graph::vertex>> united_labels(graph::distributed_graph g) {
  std::vector<graph::vertex> parents(g.vertices());
  std::iota(parents.begin(), parents.end(), 0U);
  co_await for_each_row(g, [&](graph::vertex u, std::span<graph::vertex const> row) {
    for (graph::vertex const v : row) {
      auto const [low, high] = std::minmax({find(parents, u), find(parents, v)});
      parents[high] = low;
    }
  });
  for (graph::vertex v = 0; v < parents.size(); ++v) parents[v] = find(parents, v);
  co_return parents;
}

}  // namespace kernels
