// import_edges: the edges of an input as columns.
#pragma once

#include <cstdint>
#include <vector>

namespace graph {

struct edge_columns {
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> targets;
  std::vector<double> weights;  // empty: each edge weighs 1
  std::uint64_t vertices = 0;
};

// Leaves the edges from the smaller end, where all are listed in both directions.
void drop_second_directions(edge_columns& edges);

}  // namespace graph
