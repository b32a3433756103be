// spanning_forest_verify: all edges by weight, each taken if it connects two trees.
//
// Source    Kruskal, "On the shortest spanning subtree of a graph and the traveling salesman problem" (1956).
#include <algorithm>
#include <numeric>
#include <tuple>

#include "kernels/spanning_forest.hpp"

namespace kernels {

namespace {

std::vector<weighted_edge> edges_here(graph::distributed_graph const& g, graph::edge_weights const& weights) {
  graph::graph_part const& part = g.part();
  std::vector<weighted_edge> edges;
  for (graph::vertex i = 0; i < part.count; ++i)
    for (std::uint64_t e = part.out.offsets[i]; e < part.out.offsets[i + 1]; ++e) {
      double const weight = weights.integers() ? weights.local<std::uint32_t>()[e] : weights.local<double>()[e];
      if (part.first + i < part.out.targets[e]) edges.push_back({part.first + i, part.out.targets[e], weight});
    }
  return edges;
}

}  // namespace

tess::task<forest> spanning_forest_alone(graph::distributed_graph g, graph::edge_weights weights) {
  std::vector<weighted_edge> edges;
  for (unsigned p = 0; p < tess::places(); ++p) {
    std::vector<weighted_edge> const of_place = co_await tess::at(
        static_cast<tess::place_id>(p),
        [](graph::distributed_graph all, graph::edge_weights of) { return edges_here(all, of); }, g, weights);
    edges.insert(edges.end(), of_place.begin(), of_place.end());
  }
  std::ranges::sort(edges, {}, [](weighted_edge const& e) { return std::tuple(e.weight, e.u, e.v); });
  std::vector<graph::vertex> above(g.vertices());
  std::iota(above.begin(), above.end(), 0U);
  auto const root = [&](graph::vertex v) {
    while (above[v] != v) v = above[v] = above[above[v]];
    return v;
  };
  forest made;
  for (weighted_edge const& e : edges) {
    auto const [low, high] = std::minmax({root(e.u), root(e.v)});
    if (low == high) continue;
    above[high] = low;
    made.edges.push_back(e);
  }
  std::ranges::sort(made.edges, {}, [](weighted_edge const& e) { return std::pair(e.u, e.v); });
  for (weighted_edge const& e : made.edges) made.weight += e.weight;
  co_return made;
}

}  // namespace kernels
