// assortativity_verify: two passes over all edges: means, then products of differences from them.
#include <cmath>
#include <vector>

#include "kernels/assortativity.hpp"
#include "kernels/row_stream.hpp"

namespace kernels {

tess::task<double> degree_assortativity_alone(graph::distributed_graph g, assortativity_rules rules) {
  std::vector<double> outs(g.vertices()), ins(g.vertices()), loops(g.vertices());
  double edges = 0;
  co_await for_each_row(g, [&](graph::vertex u, std::span<graph::vertex const> row) {
    outs[u] = static_cast<double>(row.size());
    edges += outs[u];
    for (graph::vertex const v : row) {
      ++ins[v];
      if (v == u) ++loops[v];
    }
  });
  std::vector<double> const counts_out = outs, counts_in = ins;
  // Without directions a self-loop has two ends at its vertex.
  for (std::uint64_t v = 0; !g.directed() && v < g.vertices(); ++v) {
    outs[v] += loops[v];
    ins[v] += loops[v];
  }
  std::vector<double> const& xs = rules.source == edge_end_degree::out ? outs : ins;
  std::vector<double> const& ys = rules.target == edge_end_degree::out ? outs : ins;
  double x = 0, y = 0;
  for (std::uint64_t v = 0; v < g.vertices(); ++v) {
    x += counts_out[v] * xs[v] / edges;
    y += counts_in[v] * ys[v] / edges;
  }
  double xx = 0, yy = 0, xy = 0;
  co_await for_each_row(g, [&](graph::vertex u, std::span<graph::vertex const> row) {
    for (graph::vertex const v : row) {
      xx += (xs[u] - x) * (xs[u] - x);
      yy += (ys[v] - y) * (ys[v] - y);
      xy += (xs[u] - x) * (ys[v] - y);
    }
  });
  co_return xy / std::sqrt(xx * yy);
}

}  // namespace kernels
