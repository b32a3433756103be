// pagerank_verify: plain sequential power iteration, pushing along out-edges.
#include <algorithm>

#include "kernels/pagerank.hpp"
#include "kernels/row_stream.hpp"

namespace kernels {

tess::task<std::vector<double>> pushed_scores(graph::distributed_graph g, pagerank_rules rules, int iterations) {
  std::uint64_t const n = g.vertices();
  std::vector<double> scores(n, 1 / static_cast<double>(n));
  std::vector<double> pushed(n);
  for (int k = 0; k < iterations; ++k) {
    std::ranges::fill(pushed, 0.0);
    double dangling = 0;
    co_await for_each_row(g, [&](graph::vertex u, std::span<graph::vertex const> row) {
      if (row.empty()) dangling += scores[u];
      for (graph::vertex const v : row) pushed[v] += scores[u] / static_cast<double>(row.size());
    });
    for (std::uint64_t v = 0; v < n; ++v)
      scores[v] = (1 - rules.damping + rules.damping * dangling) / static_cast<double>(n) + rules.damping * pushed[v];
  }
  co_return scores;
}

}  // namespace kernels
