// degrees: how many other vertices each vertex is adjacent to, at one place.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/gather_block_array.hpp"

namespace kernels {

[[nodiscard]] inline tess::task<std::vector<graph::vertex>> gather_degrees(graph::distributed_graph g) {
  auto const degrees = co_await tess::global_array<graph::vertex>::make(g.block() * tess::places());
  co_await tess::on_all_places(
      [](graph::distributed_graph all, tess::global_array<graph::vertex> own) {
        graph::graph_part const& part = all.part();
        for (graph::vertex i = 0; i < part.count; ++i) {
          std::span<graph::vertex const> const row = part.out.neighbours(i);
          // Rows of a script may have self-loops.
          std::size_t const loops = std::ranges::binary_search(row, part.first + i) ? 1 : 0;
          own.local()[i] = static_cast<graph::vertex>(row.size() - loops);
        }
      },
      g, degrees);
  std::vector<graph::vertex> gathered = co_await gather_block_array(g, degrees);
  co_await tess::global_array<graph::vertex>::release(degrees);
  co_return gathered;
}

}  // namespace kernels
