// edge: one edge as inputs deliver it, and the limits common to all inputs.
#pragma once

#include <cstdint>
#include <limits>

namespace graph {

struct edge {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  double weight = 1;  // 1 where the input has none; integers up to 2^53 are exact

  friend bool operator==(edge const&, edge const&) = default;
};

// Vertices count from 0 in 32 bits; the last value is reserved for "no vertex".
inline constexpr std::uint64_t vertices_count_max = std::numeric_limits<std::uint32_t>::max();

// A larger stated count is an error: 2^40 edges are 8 TiB of targets alone.
inline constexpr std::uint64_t edges_count_max = std::uint64_t{1} << 40;

}  // namespace graph
