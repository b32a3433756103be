// degrees: the length of each vertex's row, at one place.
#pragma once

#include <vector>

#include "kernels/gather_block_array.hpp"

namespace kernels {

[[nodiscard]] inline tess::task<std::vector<graph::vertex>> gather_degrees(graph::distributed_graph g) {
  auto const degrees = co_await tess::global_array<graph::vertex>::make(g.block() * tess::places());
  co_await tess::on_all_places(
      [](graph::distributed_graph all, tess::global_array<graph::vertex> own) {
        graph::graph_part const& part = all.part();
        for (std::uint64_t i = 0; i < part.count; ++i) own.local()[i] = static_cast<graph::vertex>(part.out.degree(i));
      },
      g, degrees);
  std::vector<graph::vertex> gathered = co_await gather_block_array(g, degrees);
  co_await tess::global_array<graph::vertex>::release(degrees);
  co_return gathered;
}

}  // namespace kernels
