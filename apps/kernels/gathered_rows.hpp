// gathered_rows: the whole graph at one place, for verifiers that jump from row to row.
//
// Cost      4 bytes an entry and 8 a vertex; the rows come in blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/row_stream.hpp"

namespace kernels {

struct gathered_rows {
  std::vector<std::uint64_t> offsets;
  std::vector<graph::vertex> targets;

  [[nodiscard]] std::span<graph::vertex const> neighbours(graph::vertex v) const noexcept {
    return {targets.data() + offsets[v], targets.data() + offsets[v + std::uint64_t{1}]};
  }
};

// By out-edges, at the caller's place.
[[nodiscard]] inline tess::task<gathered_rows> gather_rows(graph::distributed_graph g) {
  gathered_rows made;
  made.offsets.reserve(g.vertices() + 1);
  made.offsets.push_back(0);
  made.targets.reserve(g.edges());
  co_await for_each_row(g, [&made](graph::vertex, std::span<graph::vertex const> row) {
    made.targets.insert(made.targets.end(), row.begin(), row.end());
    made.offsets.push_back(made.targets.size());
  });
  co_return made;
}

}  // namespace kernels
