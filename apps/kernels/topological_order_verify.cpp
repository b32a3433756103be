// topological_order_verify: the longest paths again, along the order; or the edges of the cycle.
#include <algorithm>

#include "kernels/gathered_rows.hpp"
#include "kernels/topological_order.hpp"

namespace kernels {

tess::task<std::string> what_is_wrong(graph::distributed_graph g, topological_order result) {
  gathered_rows const rows = co_await gather_rows(g);
  if (!result.cycle.empty()) {
    for (std::size_t i = 0; i < result.cycle.size(); ++i) {
      graph::vertex const next = result.cycle[(i + 1) % result.cycle.size()];
      if (!std::ranges::binary_search(rows.neighbours(result.cycle[i]), next)) co_return "the cycle lacks an edge";
    }
    co_return "";
  }
  if (result.order.size() != g.vertices()) co_return "the order does not have every vertex once";
  std::vector<std::uint32_t> longest(g.vertices());
  std::vector<bool> seen(g.vertices());
  for (graph::vertex const u : result.order) {
    if (seen[u]) co_return "the order has a vertex twice";
    seen[u] = true;
    for (graph::vertex const v : rows.neighbours(u)) {
      if (seen[v]) co_return "an edge leads back";
      longest[v] = std::max(longest[v], longest[u] + 1);
    }
  }
  co_return longest == result.generations ? "" : "a generation is not the longest path to its vertex";
}

}  // namespace kernels
