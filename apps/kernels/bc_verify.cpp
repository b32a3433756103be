// bc_verify: Brandes's algorithm as in the paper's figure, with a queue, a stack and sums in doubles, on rows fetched
// to one place.
#include <ranges>

#include "kernels/bc.hpp"
#include "kernels/gathered_rows.hpp"

namespace kernels {

tess::task<std::vector<double>> brandes_scores(graph::distributed_graph g, std::vector<vertex> sources,
                                               path_ends ends) {
  constexpr std::uint32_t far_away = UINT32_MAX;
  gathered_rows const rows = co_await gather_rows(g);
  std::uint64_t const n = g.vertices();
  std::vector<double> scores(n);
  for (vertex const source : sources) {
    std::vector<std::uint32_t> distance(n, far_away);
    std::vector<double> paths(n);
    std::vector<double> dependency(n);
    std::vector<vertex> reached{source};
    distance[source] = 0;
    paths[source] = 1;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      vertex const u = reached[i];
      for (vertex const v : rows.neighbours(u)) {
        if (distance[v] == far_away) {
          distance[v] = distance[u] + 1;
          reached.push_back(v);
        }
        if (distance[v] == distance[u] + 1) paths[v] += paths[u];
      }
    }
    for (vertex const u : reached | std::views::reverse) {
      for (vertex const v : rows.neighbours(u))
        if (distance[v] == distance[u] + 1) dependency[u] += paths[u] / paths[v] * (1 + dependency[v]);
      if (u != source) scores[u] += dependency[u];
      if (ends == path_ends::counted) scores[u] += u == source ? static_cast<double>(reached.size()) - 1 : 1;
    }
  }
  co_return scores;
}

}  // namespace kernels
