// input: the input of a kernel of IMSuite, and the suite's text format of it.
//
//   Every file begins with the number of nodes; the rest depends on the kernel (docs/use/imsuite.md has the table).
//   Reading checks everything: a symmetric matrix without loops, identifiers that are a permutation, parents that form
//   the tree of the matrix.
//
// Shapes    adjacency: [n][n] bytes 0 or 1, row-major. weights: [n][n], row-major. Others: one for each node.
// Errors    graph::input_error `file:line: what, expected what`.
// Source    the formats of IMSuite (S. Gupta, V. K. Nandivada, "IMSuite: A benchmark suite for simulating distributed
//           algorithms", JPDC 2015); NEMESYS (MEMSYS 2019), table 4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace imsuite {

enum class kernel : std::uint8_t {
  bfs_bellman_ford,
  bfs_dijkstra,
  byzantine,
  dijkstra_routing,
  dominating_set,
  k_committee,
  leader_elect_dp,
  leader_elect_hs,
  leader_elect_lcr,
  mis,
  mst,
  vertex_coloring
};

// The parts of an input of this kernel.
struct parts {
  bool root = false;
  bool committee = false;
  bool adjacency = true;
  bool votes = false;
  bool weights = false;
  bool ids = false;
  bool parents = false;
};
[[nodiscard]] parts parts_of(kernel k) noexcept;

struct input {
  std::int32_t nodes = 0;
  std::int32_t root = 0;
  std::int32_t committee = 0;  // K: the most members of a committee
  std::vector<std::uint8_t> adjacency;
  std::vector<std::int32_t> weights;
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> parents;
  std::vector<std::uint8_t> votes;
  std::vector<std::int32_t> traitors;

  [[nodiscard]] bool joined(std::int32_t i, std::int32_t j) const noexcept {
    return adjacency[static_cast<std::size_t>(i) * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(j)] != 0;
  }
  [[nodiscard]] std::int32_t weight(std::int32_t i, std::int32_t j) const noexcept {
    return weights[static_cast<std::size_t>(i) * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(j)];
  }
  // In ascending order.
  [[nodiscard]] std::vector<std::int32_t> neighbors(std::int32_t i) const;
  [[nodiscard]] bool connected() const;

  bool operator==(input const&) const = default;
};

// n * n elements must fit into memory many times over: every closure carries the matrix.
inline constexpr std::int32_t nodes_max = 4096;

[[nodiscard]] std::string format(kernel k, input const& of);
[[nodiscard]] input parse(kernel k, std::string_view text, std::string const& file);
[[nodiscard]] input read(kernel k, std::string const& file);

}  // namespace imsuite
