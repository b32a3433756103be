// coarse_graph: a graph whose vertices are the communities of another one; Louvain's second step.
//
//   An edge weighs what all edges between its two communities weigh; a community's inner edges, in both directions, are
//   its loop. Communities are numbered in the order of their labels.
//
// Threads   coarsen() by one task of every place, which call it together; coarsen_alone() by the caller.
// Cost      a pass over the own rows, 8 bytes for each vertex and worker, and an exchange of the edges, 16 bytes each.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/local_moving.hpp"

namespace kernels {

struct coarse_graph {
  std::uint64_t vertices = 0;  // at all places
  std::uint64_t block = 64;
  vertex first = 0;
  vertex count = 0;
  bool alone = false;
  std::vector<std::uint64_t> offsets{0};
  std::vector<vertex> targets;
  std::vector<double> weights;
  std::vector<double> loops;  // own

  [[nodiscard]] moving_rows rows() const noexcept {
    return {vertices, block, first, count, offsets.data(), targets.data(), weights.data(), alone};
  }
};

// The communities that `labels`, one for each vertex, name.
struct numbering {
  std::vector<vertex> number;  // of a label, if it is one
  std::uint64_t count = 0;

  explicit numbering(std::vector<vertex> const& labels);
};

// The rows of communities that this place has or, if `alone`, that place 0 has. There may be no loops.
[[nodiscard]] tess::task<coarse_graph> coarsen(moving_rows fine, std::vector<double> const& loops,
                                               std::vector<vertex> const& labels, numbering const& communities,
                                               bool alone);
[[nodiscard]] coarse_graph coarsen_alone(moving_rows fine, std::vector<double> const& loops,
                                         std::vector<vertex> const& labels, numbering const& communities);

}  // namespace kernels
