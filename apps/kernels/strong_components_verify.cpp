// strong_components_verify: a search with a stack of its own, as the recursive one of the textbook.
//
// Source    Tarjan, "Depth-first search and linear graph algorithms" (1972).
#include <algorithm>
#include <limits>

#include "kernels/gathered_rows.hpp"
#include "kernels/strong_components.hpp"

namespace kernels {

tess::task<std::vector<graph::vertex>> strong_components_alone(graph::distributed_graph g) {
  using graph::vertex;
  constexpr vertex none = std::numeric_limits<vertex>::max();
  gathered_rows const rows = co_await gather_rows(g);
  auto const n = static_cast<vertex>(g.vertices());
  std::vector<vertex> labels(n, none), found(n, none), low(n);
  std::vector<vertex> open;  // found, and not in a component yet
  struct visit {
    vertex v;
    std::uint64_t next;  // of its row
  };
  std::vector<visit> path;
  vertex count = 0;
  for (vertex start = 0; start < n; ++start) {
    if (found[start] != none) continue;
    path.push_back({start, 0});
    while (!path.empty()) {
      auto& [v, next] = path.back();
      if (next == 0) {
        found[v] = low[v] = count++;
        open.push_back(v);
      }
      if (next < rows.neighbours(v).size()) {
        vertex const w = rows.neighbours(v)[next++];
        if (found[w] == none)
          path.push_back({w, 0});
        else if (labels[w] == none)
          low[v] = std::min(low[v], found[w]);
        continue;
      }
      if (low[v] == found[v]) {
        auto first = open.end();
        while (*--first != v) {
        }
        vertex const least = *std::min_element(first, open.end());
        for (auto member = first; member != open.end(); ++member) labels[*member] = least;
        open.erase(first, open.end());
      }
      vertex const child = v;
      path.pop_back();
      if (!path.empty()) low[path.back().v] = std::min(low[path.back().v], low[child]);
    }
  }
  co_return labels;
}

}  // namespace kernels
