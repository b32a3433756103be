// referenced: the parts of a per-vertex array that a place's rows refer to at other places.
//
//   Rows of a grid or a road map refer to few vertices of other places, those of a social network to all parts of the
//   array. One representation serves both; it is computed once for a graph and used in every iteration.
//
// Units     elements; ranges in units of 512, so that the transfers are few and long enough. Gaps of up to 4 units are
//           filled, as a transfer costs more than they do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

// Elements [begin, end) of one place's block.
struct element_range {
  std::uint64_t begin;
  std::uint64_t end;
};

// In the order of places, starting with the next one, so that places do not all read the same one first. `in` are rows
// of `part`.
[[nodiscard]] inline std::vector<element_range> referenced(graph::distributed_graph const& g,
                                                           graph::graph_part const& part, graph::rows const& in) {
  constexpr std::uint64_t unit = 512;
  constexpr std::uint64_t gap_max = 4 * unit;
  if (part.count == 0) return {};
  std::vector<char> marked(g.vertices() / unit + 1);
  for (std::uint64_t e = 0; e < in.offsets[part.count]; ++e) marked[in.targets[e] / unit] = 1;

  std::vector<element_range> ranges;
  for (unsigned step = 1; step < tess::places(); ++step) {
    auto const p = static_cast<tess::place_id>((tess::here() + step) % tess::places());
    std::uint64_t const stop = g.end_at(p);
    bool open = false;
    for (std::uint64_t begin = g.begin_at(p), end; begin < stop; begin = end) {
      end = std::min((begin / unit + 1) * unit, stop);
      if (!marked[begin / unit]) continue;
      if (open && begin - ranges.back().end <= gap_max)
        ranges.back().end = end;
      else
        ranges.push_back({begin, end});
      open = true;
    }
  }
  return ranges;
}

}  // namespace kernels
