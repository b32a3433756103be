// shapes: the graphs that are copied, as objects of ours, and as plain structs for those compared with.
//
//   A list: 24 bytes a node, linked both ways (peers: 32 bytes with its count). A tree: binary. A graph: four edges to
//   random vertices and 0 to 15 doubles each. All in the order of allocation, or with the links shuffled.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace bench {

/// Plain structs: what a program without a runtime has; `sources` owns them, in one block.
struct plain_node {
  std::uint64_t value;
  plain_node* next;
  plain_node* previous;
  std::uint64_t weight;
};
struct plain_tree {
  std::uint64_t value;
  plain_tree* left;
  plain_tree* right;
  std::uint64_t weight;
};
struct plain_vertex {
  std::uint64_t value;
  plain_vertex* edges[4];
  double* numbers;
  std::uint64_t numbers_count;
};

/// The order in which the objects of a shape are linked: as they lie in memory, or at random.
[[nodiscard]] std::vector<std::uint32_t> link_order(std::size_t count, bool shuffled);

/// Where edge `e` of vertex `v` leads, and how many numbers `v` has: the same for every side.
[[nodiscard]] std::size_t edge_target(std::size_t v, unsigned e, std::size_t count) noexcept;
[[nodiscard]] std::size_t numbers_count(std::size_t v) noexcept;

}  // namespace bench
