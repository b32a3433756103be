// bipartite_verify: union and find on vertices and their opposites: an edge joins each end with the other's opposite.
#include <algorithm>
#include <numeric>

#include "kernels/bipartite.hpp"
#include "kernels/row_stream.hpp"

namespace kernels {

tess::task<bool> is_bipartite_alone(graph::distributed_graph g) {
  std::uint64_t const n = g.vertices();
  std::vector<std::uint64_t> above(2 * n);  // of vertex v and, at n + v, of its opposite
  std::iota(above.begin(), above.end(), 0U);
  auto const root = [&](std::uint64_t v) {
    while (above[v] != v) v = above[v] = above[above[v]];
    return v;
  };
  auto const unite = [&](std::uint64_t a, std::uint64_t b) {
    auto const [low, high] = std::minmax({root(a), root(b)});
    above[high] = low;
  };
  co_await for_each_row(g, [&](graph::vertex u, std::span<graph::vertex const> row) {
    for (graph::vertex const v : row) {
      unite(u, n + v);
      unite(v, n + u);
    }
  });
  for (std::uint64_t v = 0; v < n; ++v)
    if (root(v) == root(n + v)) co_return false;
  co_return true;
}

}  // namespace kernels
