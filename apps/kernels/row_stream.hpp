// row_stream: all rows of a distributed graph at one place, a block at a time; for sequential verifiers.
//
// Cost      memory for the targets of a few thousand rows, not for the graph; each block is one block transfer of
//           offsets and one of targets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "kernels/referenced.hpp"

namespace kernels {

// visit(u, neighbours of u by out-edges) for every vertex u of the ranges, which are in ascending order.
template <class Visit>
tess::task<void> for_each_row(graph::distributed_graph g, std::span<element_range const> ranges, Visit visit) {
  constexpr std::uint64_t rows_at_once = 4096;
  std::vector<std::uint64_t> offsets(rows_at_once + 1);
  std::vector<graph::vertex> targets;
  for (unsigned p = 0; p < tess::places(); ++p) {
    auto const place = static_cast<tess::place_id>(p);
    struct addresses {
      tess::global_ptr<std::uint64_t> offsets;
      tess::global_ptr<graph::vertex> targets;
    };
    addresses const rows = co_await tess::at(
        place,
        [](graph::distributed_graph all) {
          graph::rows const& out = all.part().out;
          return addresses{tess::to_global(const_cast<std::uint64_t*>(out.offsets)),
                           tess::to_global(const_cast<graph::vertex*>(out.targets))};
        },
        g);
    std::uint64_t const begin = g.begin_at(place);
    for (auto const& range : ranges) {
      std::uint64_t const stop = std::min<std::uint64_t>(range.end, g.end_at(place));
      for (std::uint64_t first = std::max(range.begin, begin); first < stop; first += rows_at_once) {
        std::uint64_t const n = std::min(rows_at_once, stop - first);
        co_await tess::get(rows.offsets + static_cast<std::ptrdiff_t>(first - begin), std::span(offsets).first(n + 1));
        targets.resize(offsets[n] - offsets[0]);
        if (!targets.empty())
          co_await tess::get(rows.targets + static_cast<std::ptrdiff_t>(offsets[0]), std::span(targets));
        for (std::uint64_t i = 0; i < n; ++i) {
          std::span<graph::vertex const> const row(targets.data() + (offsets[i] - offsets[0]),
                                                   targets.data() + (offsets[i + 1] - offsets[0]));
          visit(static_cast<graph::vertex>(first + i), row);
        }
      }
    }
  }
}

// The same for every vertex.
template <class Visit>
tess::task<void> for_each_row(graph::distributed_graph g, Visit visit) {
  element_range const all{0, g.vertices()};
  co_await for_each_row(g, std::span(&all, 1), std::move(visit));
}

}  // namespace kernels
