// pagerank_verify: plain sequential updates in the order of a kernel, pushing changes along out-edges.
#include <algorithm>
#include <numeric>

#include "kernels/pagerank.hpp"
#include "kernels/row_stream.hpp"

namespace kernels {

tess::task<std::vector<double>> pushed_scores(graph::distributed_graph g, pagerank_rules rules, int iterations,
                                              update_groups groups) {
  std::uint64_t const n = g.vertices();
  std::vector<double> scores(n, 1 / static_cast<double>(n));
  std::vector<double> pushed(n);
  double dangling = 0;
  co_await for_each_row(g, [&](graph::vertex u, std::span<graph::vertex const> row) {
    if (row.empty()) dangling += scores[u];
    for (graph::vertex const v : row) pushed[v] += scores[u] / static_cast<double>(row.size());
  });
  if (groups.count() > 1 && rules.damping < 1) dangling = 0;  // as the kernel, and not the power method
  double sum = 1;
  for (int k = 0; k < iterations; ++k) {
    double const base = ((1 - rules.damping) * sum + rules.damping * dangling) / static_cast<double>(n);
    dangling = 0;
    std::vector<double> before = scores;
    for (std::uint64_t group = 0; group < groups.count(); ++group) {
      std::vector<element_range> const updated = groups.within(group, 0, n);
      for (auto const [begin, end] : updated)
        for (std::uint64_t v = begin; v < end; ++v) scores[v] = base + rules.damping * pushed[v];
      co_await for_each_row(g, updated, [&](graph::vertex u, std::span<graph::vertex const> row) {
        if (row.empty()) dangling += scores[u];
        double const more = (scores[u] - before[u]) / static_cast<double>(row.size());
        for (graph::vertex const v : row) pushed[v] += more;
      });
    }
    sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  }
  for (double& score : scores) score /= sum;
  co_return scores;
}

}  // namespace kernels
