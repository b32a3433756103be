// general_pagerank_verify: plain sequential power iteration, pushing along out-edges.
#include <algorithm>
#include <numeric>

#include "kernels/general_pagerank.hpp"
#include "kernels/row_stream.hpp"

namespace kernels {

namespace {

// The weights of all out-rows, in their order.
tess::task<std::vector<double>> gathered_weights(graph::edge_weights weights, graph::distributed_graph g) {
  std::vector<double> all;
  for (unsigned p = 0; p < tess::places(); ++p) {
    std::vector<double> const of_place = co_await tess::at(
        static_cast<tess::place_id>(p),
        [](graph::edge_weights w, graph::distributed_graph of) {
          std::uint64_t const count = of.part().out.offsets[of.part().count];
          if (!w.integers()) return std::vector<double>(w.local<double>(), w.local<double>() + count);
          return std::vector<double>(w.local<std::uint32_t>(), w.local<std::uint32_t>() + count);
        },
        weights, g);
    all.insert(all.end(), of_place.begin(), of_place.end());
  }
  co_return all;
}

// Sums up to 1.
std::vector<double> shares_of(std::vector<double> const& given, std::uint64_t vertices) {
  std::vector<double> shares = given.empty() ? std::vector<double>(vertices, 1.0) : given;
  double const sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace

tess::task<std::vector<double>> general_pagerank_alone(graph::distributed_graph g,
                                                       std::optional<graph::edge_weights> weights,
                                                       general_pagerank_options options, int iterations) {
  std::uint64_t const n = g.vertices();
  std::vector<double> const restart = shares_of(options.restart, n);
  std::vector<double> const dangling = options.dangling.empty() ? restart : shares_of(options.dangling, n);
  std::vector<double> const of_edges =
      weights ? co_await gathered_weights(*weights, g) : std::vector<double>(g.edges(), 1.0);
  std::vector<double> scores = shares_of(options.start, n);
  std::vector<double> pushed(n);
  for (int k = 0; k < iterations; ++k) {
    std::ranges::fill(pushed, 0.0);
    double lost = 0;
    double const* weight = of_edges.data();
    co_await for_each_row(g, [&](graph::vertex u, std::span<graph::vertex const> row) {
      // Sums of doubles can leave their range, and small weights lose digits when they are multiplied.
      long double const sum = std::accumulate(weight, weight + row.size(), 0.0L);
      if (sum == 0) lost += scores[u];
      for (std::size_t e = 0; sum != 0 && e < row.size(); ++e)
        pushed[row[e]] += scores[u] * static_cast<double>(weight[e] / sum);
      weight += row.size();
    });
    for (std::uint64_t v = 0; v < n; ++v)
      scores[v] = options.damping * (pushed[v] + lost * dangling[v]) + (1 - options.damping) * restart[v];
  }
  co_return scores;
}

}  // namespace kernels
