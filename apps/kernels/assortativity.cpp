// assortativity: degrees of targets are gathered; each place sums up its rows, and all places their sums.
#include "kernels/assortativity.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/replicated.hpp"

namespace kernels {

namespace {

using graph::vertex;
using wide = __int128;

// Sums over edges of x, the degree at the source, and of y, the degree at the target.
struct first_sums {
  wide edges = 0;
  wide x = 0;
  wide y = 0;

  friend first_sums operator+(first_sums const& a, first_sums const& b) noexcept {
    return {a.edges + b.edges, a.x + b.x, a.y + b.y};
  }
};
struct second_sums {
  wide xx = 0;
  wide yy = 0;
  wide xy = 0;

  friend second_sums operator+(second_sums const& a, second_sums const& b) noexcept {
    return {a.xx + b.xx, a.yy + b.yy, a.xy + b.xy};
  }
};

// Without directions a self-loop has two ends at its vertex, and one place in its row.
std::uint32_t degree_of(graph::graph_part const& part, vertex i, edge_end_degree kind, bool directed) {
  std::uint64_t const entries = kind == edge_end_degree::out ? part.out.degree(i) : part.in.degree(i);
  bool const loop = !directed && std::ranges::binary_search(part.out.neighbours(i), part.first + i);
  return static_cast<std::uint32_t>(entries + (loop ? 1U : 0U));
}

tess::task<double> correlate(graph::distributed_graph g, replicated<std::uint32_t> ends, assortativity_rules rules) {
  graph::graph_part const& part = g.part();
  std::uint32_t* const degrees = ends.local().data();
  for (vertex i = 0; i < part.count; ++i) degrees[part.first + i] = degree_of(part, i, rules.target, g.directed());
  co_await tess::barrier();
  co_await ends.gather();

  struct both {
    first_sums first;
    second_sums second;
  };
  std::vector<both> by_worker(tess::workers());
  co_await tess::forall_chunks(0, by_worker.size(), 1, [&](std::uint64_t w, std::uint64_t) {
    both& s = by_worker[w];
    std::uint64_t const end = (w + 1) * part.count / by_worker.size();
    for (auto i = static_cast<vertex>(w * part.count / by_worker.size()); i < end; ++i) {
      wide const edges = static_cast<wide>(part.out.degree(i));
      wide const x = degree_of(part, i, rules.source, g.directed());
      std::uint64_t row = 0;
      wide squares = 0;
      for (vertex const v : part.out.neighbours(i)) {
        row += degrees[v];
        squares += static_cast<wide>(std::uint64_t{degrees[v]} * degrees[v]);
      }
      s.first = s.first + first_sums{edges, edges * x, static_cast<wide>(row)};
      s.second = s.second + second_sums{edges * x * x, squares, x * static_cast<wide>(row)};
    }
  });
  both mine;
  for (both const& s : by_worker) mine = {mine.first + s.first, mine.second + s.second};
  first_sums const a = co_await tess::all_reduce(mine.first);
  second_sums const b = co_await tess::all_reduce(mine.second);
  auto const together = static_cast<double>(a.edges * b.xy - a.x * a.y);
  auto const of_x = static_cast<double>(a.edges * b.xx - a.x * a.x);
  auto const of_y = static_cast<double>(a.edges * b.yy - a.y * a.y);
  // 0 / 0, which is not a number, if a variance is 0.
  co_return together / (std::sqrt(of_x) * std::sqrt(of_y));
}

}  // namespace

tess::task<double> degree_assortativity(graph::distributed_graph g, assortativity_rules rules) {
  auto const degrees = co_await replicated<std::uint32_t>::make(g.vertices(), g.block());
  auto const result = co_await tess::place_local<double>::make();
  co_await tess::on_all_places(
      [](graph::distributed_graph all, replicated<std::uint32_t> ends, assortativity_rules r,
         tess::place_local<double> into) -> tess::task<void> { *into = co_await correlate(all, ends, r); },
      g, degrees, rules, result);
  double const coefficient = *result;
  co_await tess::place_local<double>::release(result);
  co_await replicated<std::uint32_t>::release(degrees);
  co_return coefficient;
}

}  // namespace kernels
