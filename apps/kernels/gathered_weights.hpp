// gathered_weights: the weights of all edges at one place, in the order of all rows; for verifiers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "distributed/edge_weights.hpp"

namespace kernels {

// Weight: as in edge_weights::local().
template <class Weight>
[[nodiscard]] tess::task<std::vector<Weight>> gather_weights(graph::distributed_graph g, graph::edge_weights w) {
  std::vector<Weight> all(g.edges());
  std::uint64_t gathered = 0;
  for (unsigned p = 0; p < tess::places(); ++p) {
    struct share {
      tess::global_ptr<Weight> weights;
      std::uint64_t count;
    };
    share const there = co_await tess::at(
        static_cast<tess::place_id>(p),
        [](graph::distributed_graph all_rows, graph::edge_weights all_weights) {
          graph::graph_part const& part = all_rows.part();
          return share{tess::to_global(const_cast<Weight*>(all_weights.local<Weight>())), part.out.offsets[part.count]};
        },
        g, w);
    if (there.count != 0) co_await tess::get(there.weights, std::span(all).subspan(gathered, there.count));
    gathered += there.count;
  }
  co_return all;
}

// The same as doubles; ones if there are no weights.
[[nodiscard]] inline tess::task<std::vector<double>> gather_weights(graph::distributed_graph g,
                                                                    graph::edge_weights const* w) {
  if (w == nullptr) co_return std::vector<double>(g.edges(), 1.0);
  if (!w->integers()) co_return co_await gather_weights<double>(g, *w);
  std::vector<std::uint32_t> const integers = co_await gather_weights<std::uint32_t>(g, *w);
  co_return std::vector<double>(integers.begin(), integers.end());
}

}  // namespace kernels
