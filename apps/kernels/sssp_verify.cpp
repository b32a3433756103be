// sssp_verify: Dijkstra's algorithm with a heap, on rows and weights fetched to one place.
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "kernels/gathered_rows.hpp"
#include "kernels/gathered_weights.hpp"
#include "kernels/sssp.hpp"

namespace kernels {

template <class Distance>
tess::task<std::vector<Distance>> dijkstra_distances(graph::distributed_graph g, graph::edge_weights w, vertex source) {
  gathered_rows const rows = co_await gather_rows(g);
  std::vector<Distance> const weights = co_await gather_weights<Distance>(g, w);
  std::vector<Distance> distances(g.vertices(), infinitely_far<Distance>);
  using entry = std::pair<Distance, vertex>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting;
  distances[source] = 0;
  waiting.emplace(Distance{0}, source);
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

template tess::task<std::vector<std::uint32_t>> dijkstra_distances(graph::distributed_graph, graph::edge_weights,
                                                                   vertex);
template tess::task<std::vector<double>> dijkstra_distances(graph::distributed_graph, graph::edge_weights, vertex);

}  // namespace kernels
