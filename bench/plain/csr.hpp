// csr: a graph as two arrays (compressed sparse rows), the input of the plain kernels.
//
// Shapes    offsets: [n + 1]; targets: [offsets[n]], the neighbours of v from offsets[v] to offsets[v + 1].
// Threads   immutable; any.
#pragma once

#include <cstdint>
#include <span>

namespace plain {

using vertex = std::uint32_t;

struct csr_view {
  std::uint32_t n;
  std::uint64_t const* offsets;
  std::uint32_t const* targets;

  [[nodiscard]] std::uint64_t edges() const noexcept { return offsets[n]; }
  [[nodiscard]] std::uint64_t degree(vertex v) const noexcept { return offsets[v + 1] - offsets[v]; }
  [[nodiscard]] std::span<vertex const> neighbours(vertex v) const noexcept {
    return {targets + offsets[v], targets + offsets[v + 1]};
  }
};

/// A graph and its transpose; for an undirected graph, which stores each edge in both directions, these are the same
/// arrays.
struct graph_view {
  csr_view out;
  csr_view in;

  explicit graph_view(csr_view undirected) noexcept : out(undirected), in(undirected) {}
  graph_view(csr_view forward, csr_view transposed) noexcept : out(forward), in(transposed) {}

  [[nodiscard]] std::uint32_t n() const noexcept { return out.n; }
  [[nodiscard]] bool directed() const noexcept { return out.targets != in.targets; }
};

/// A target and the weight of its edge.
struct weighted_target {
  vertex v;
  std::uint32_t weight;
};

struct weighted_view {
  std::uint32_t n;
  std::uint64_t const* offsets;
  weighted_target const* targets;

  [[nodiscard]] std::span<weighted_target const> neighbours(vertex v) const noexcept {
    return {targets + offsets[v], targets + offsets[v + 1]};
  }
};

}  // namespace plain
