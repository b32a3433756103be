// verify: checks a kernel's result, by one thread, from the input and the gathered result alone.
//
//   Stricter than the suite's own checks, some of which accept wrong results: a colouring is checked at every edge and
//   not at the last node only, a dominating set need not be independent, routes must be shortest and exist, trees must
//   be trees of the right distances. All return the error as a sentence, or an empty text.
//
// Shapes   vectors: one element for each node.
// Source   the checks: the problems' definitions; errors that the suite's verifiers accept: IMSuite (JPDC 2015).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "imsuite/input.hpp"

namespace imsuite {

inline constexpr std::int32_t infinity = INT32_MAX;

// Distances in edges; infinity for unreachable nodes.
[[nodiscard]] std::vector<std::int32_t> distances_from(input const& in, std::int32_t root);

[[nodiscard]] std::string wrong_distances(input const& in, std::span<std::int32_t const> found);

struct tree_node {
  std::int32_t parent = infinity;
  std::vector<std::int32_t> children;
};
// Parents one level up, for all nodes reachable from the root; children the inverse.
[[nodiscard]] std::string wrong_search_tree(input const& in, std::span<tree_node const> found);
// Spanning, rooted at `root`, and no heavier than Kruskal's.
[[nodiscard]] std::string wrong_spanning_tree(input const& in, std::int32_t root, std::span<tree_node const> found);

struct consensus {
  std::int32_t decision = 0;
  bool permanent = false;
};
// Agreement of all nodes that are not traitors, and validity: a vote that all of them share is decided.
[[nodiscard]] std::string wrong_consensus(input const& in, std::span<consensus const> found);

struct route {
  std::int32_t cost = infinity;
  std::int32_t hops = infinity;
  std::int32_t parent = infinity;  // before the destination
  std::int32_t next = infinity;    // after the source
};
// [n][n] routes, row-major by source.
[[nodiscard]] std::string wrong_routes(input const& in, std::span<route const> found);

[[nodiscard]] std::string wrong_dominating_set(input const& in, std::span<std::uint8_t const> chosen);
[[nodiscard]] std::string wrong_independent_set(input const& in, std::span<std::uint8_t const> chosen);
// Each committee has at most K members, which can reach each other.
[[nodiscard]] std::string wrong_committees(input const& in, std::span<std::int32_t const> committee);
// Every node names the node with the greatest identifier.
[[nodiscard]] std::string wrong_leader(input const& in, std::span<std::int32_t const> leader);
[[nodiscard]] std::string wrong_coloring(input const& in, std::span<std::int32_t const> color);

}  // namespace imsuite
