// core_numbers_verify: vertices sorted by degree in one array, which removals keep sorted.
//
// Source    Batagelj, Zaversnik, "An O(m) algorithm for cores decomposition of networks" (2003).
#include <algorithm>
#include <utility>

#include "kernels/core_numbers.hpp"
#include "kernels/gathered_rows.hpp"

namespace kernels {

tess::task<std::vector<std::uint32_t>> core_numbers_alone(graph::distributed_graph g) {
  gathered_rows const rows = co_await gather_rows(g);
  std::uint64_t const n = g.vertices();
  std::vector<std::uint32_t> degrees(n);
  std::vector<std::uint64_t> begins(g.degree_max() + std::uint64_t{2});  // of each degree in `order`
  for (graph::vertex v = 0; v < n; ++v) {
    auto const others = std::ranges::count_if(rows.neighbours(v), [v](graph::vertex w) { return w != v; });
    degrees[v] = static_cast<std::uint32_t>(others);
    ++begins[degrees[v] + std::uint64_t{1}];
  }
  for (std::uint64_t d = 1; d < begins.size(); ++d) begins[d] += begins[d - 1];
  std::vector<graph::vertex> order(n);
  std::vector<std::uint64_t> places(n);
  std::vector<std::uint64_t> ends(begins);
  for (graph::vertex v = 0; v < n; ++v) order[places[v] = ends[degrees[v]]++] = v;
  for (std::uint64_t i = 0; i < n; ++i) {
    graph::vertex const v = order[i];
    for (graph::vertex const w : rows.neighbours(v)) {
      if (degrees[w] <= degrees[v]) continue;
      // w changes places with the first vertex of its degree, which then begins one later.
      std::uint64_t& begin = begins[degrees[w]];
      graph::vertex const first = order[begin];
      std::swap(order[begin], order[places[w]]);
      std::swap(places[first], places[w]);
      ++begin;
      --degrees[w];
    }
  }
  co_return degrees;
}

}  // namespace kernels
