// sssp_verify: Dijkstra's algorithm with a heap, and chains of parents, on rows and weights fetched to one place.
#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "kernels/gathered_rows.hpp"
#include "kernels/gathered_weights.hpp"
#include "kernels/sssp.hpp"

namespace kernels {

template <class Distance>
tess::task<std::vector<Distance>> dijkstra_distances(graph::distributed_graph g, graph::edge_weights w,
                                                     std::vector<vertex> sources) {
  gathered_rows const rows = co_await gather_rows(g);
  std::vector<Distance> const weights = co_await gather_weights<Distance>(g, w);
  std::vector<Distance> distances(g.vertices(), infinitely_far<Distance>);
  using entry = std::pair<Distance, vertex>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting;
  for (vertex const source : sources) {
    distances[source] = 0;
    waiting.emplace(Distance{0}, source);
  }
  while (!waiting.empty()) {
    auto const [distance, u] = waiting.top();
    waiting.pop();
    if (distance > distances[u]) continue;
    for (std::uint64_t e = rows.offsets[u]; e < rows.offsets[u + std::uint64_t{1}]; ++e) {
      vertex const v = rows.targets[e];
      Distance const d = distance + weights[e];
      if (d >= distances[v]) continue;
      distances[v] = d;
      waiting.emplace(d, v);
    }
  }
  co_return distances;
}

template <class Distance>
tess::task<bool> are_shortest_paths(graph::distributed_graph g, graph::edge_weights w, std::vector<vertex> sources,
                                    std::vector<Distance> distances, std::vector<vertex> parents) {
  gathered_rows const rows = co_await gather_rows(g);
  std::vector<Distance> const weights = co_await gather_weights<Distance>(g, w);
  std::vector<std::uint8_t> leads_to_source(g.vertices());
  for (vertex const source : sources) {
    if (parents[source] != source || distances[source] != 0) co_return false;
    leads_to_source[source] = 1;
  }
  std::vector<vertex> chain;
  for (vertex v = 0; v < parents.size(); ++v) {
    if ((parents[v] == no_vertex) != (distances[v] == infinitely_far<Distance>)) co_return false;
    if (parents[v] == no_vertex) continue;
    vertex at = v;
    for (chain.clear(); leads_to_source[at] == 0; at = parents[at]) {
      chain.push_back(at);
      vertex const before = parents[at];
      if (before >= parents.size() || chain.size() > parents.size()) co_return false;
      std::span<vertex const> const row = rows.neighbours(before);
      auto const edge = std::ranges::lower_bound(row, at);
      if (edge == row.end() || *edge != at) co_return false;
      auto const e = rows.offsets[before] + static_cast<std::uint64_t>(edge - row.begin());
      if (static_cast<Distance>(distances[before] + weights[e]) != distances[at]) co_return false;
    }
    for (vertex const done : chain) leads_to_source[done] = 1;
  }
  co_return true;
}

template tess::task<std::vector<std::uint32_t>> dijkstra_distances(graph::distributed_graph, graph::edge_weights,
                                                                   std::vector<vertex>);
template tess::task<std::vector<double>> dijkstra_distances(graph::distributed_graph, graph::edge_weights,
                                                            std::vector<vertex>);
template tess::task<bool> are_shortest_paths(graph::distributed_graph, graph::edge_weights, std::vector<vertex>,
                                             std::vector<std::uint32_t>, std::vector<vertex>);
template tess::task<bool> are_shortest_paths(graph::distributed_graph, graph::edge_weights, std::vector<vertex>,
                                             std::vector<double>, std::vector<vertex>);

}  // namespace kernels
