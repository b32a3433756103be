// update_groups: the order in which an iteration updates vertices: a group at a time, the same for every number of
// places.
//
//   An update within an iteration that sees the results of earlier ones converges in fewer iterations, but its results
//   depend on the order. So vertices are dealt to a few groups by their numbers alone, in pieces: the next group sees
//   the results of this one, vertices of one group do not see each other's. Places and workers share each group.
//
// Units     vertices. Pieces are multiples of 64 vertices; there are at least 256 in each group of a large graph, so
//           that as many places have the same work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/referenced.hpp"

namespace kernels {

class update_groups {
 public:
  explicit update_groups(std::uint64_t vertices) noexcept
      : count_(std::clamp<std::uint64_t>(vertices / vertices_worth_a_group, 2, count_max)),
        piece_(std::max<std::uint64_t>(vertices / (count_ * pieces_of_group) / unit, 1) * unit) {}

  // All vertices at once, as in the power method.
  static update_groups one(std::uint64_t vertices) noexcept {
    update_groups all(vertices);
    all.count_ = 1;
    all.piece_ = vertices;
    return all;
  }

  // Two at least: what a group writes is not read again by a place that is late until the next group is done.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  // Those of [begin, end) that are in group g, in ascending order.
  [[nodiscard]] std::vector<element_range> within(std::uint64_t g, std::uint64_t begin, std::uint64_t end) const {
    std::vector<element_range> found;
    std::uint64_t const first = begin / piece_;
    for (std::uint64_t k = first + (g + count_ - first % count_) % count_; k * piece_ < end; k += count_)
      found.push_back({std::max(k * piece_, begin), std::min((k + 1) * piece_, end)});
    return found;
  }

 private:
  static constexpr std::uint64_t unit = 64;
  static constexpr std::uint64_t count_max = 8;
  static constexpr std::uint64_t pieces_of_group = 256;
  static constexpr std::uint64_t vertices_worth_a_group = 4096;  // each group costs a step of synchronisation

  std::uint64_t count_;
  std::uint64_t piece_;
};

}  // namespace kernels
