// shapes: the graphs to copy, built of our objects or of plain structs.
//
//   list: linked both ways, 32 bytes a node. tree: binary, 32 bytes. graph: four edges to random vertices, and 0 to 15
//   doubles each. Linked in the order of allocation, or shuffled.
//
// Shapes  Make: {node, tree_node, vertex types; make<T>() → T*; numbers(count) → what vertex::numbers is}.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "harness/splitmix.hpp"

namespace bench {

/// order[i]: index in memory of the i-th object of the shape.
[[nodiscard]] inline std::vector<std::uint32_t> link_order(std::size_t count, bool shuffled) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  if (shuffled)
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[splitmix(7, i) % i]);
  return order;
}

template <class Make>
auto build_list(Make& make, std::size_t count, bool shuffled) {
  using node = typename Make::node;
  std::vector<decltype(make.template object<node>())> all(count);
  for (auto& n : all) n = make.template object<node>();
  auto const order = link_order(count, shuffled);
  for (std::size_t i = 0; i < count; ++i) {
    auto& n = *all[order[i]];
    n.value = i;
    if (i + 1 < count) n.next = all[order[i + 1]];
    if (i > 0) n.previous = all[order[i - 1]];
  }
  return all[order[0]];
}

template <class Make>
auto build_tree(Make& make, std::size_t count) {
  using tree = typename Make::tree;
  std::vector<decltype(make.template object<tree>())> all(count);
  for (auto& n : all) n = make.template object<tree>();
  for (std::size_t i = 0; i < count; ++i) {
    all[i]->value = i;
    if (2 * i + 1 < count) all[i]->left = all[2 * i + 1];
    if (2 * i + 2 < count) all[i]->right = all[2 * i + 2];
  }
  return all[0];
}

template <class Make>
auto build_graph(Make& make, std::size_t count) {
  using vertex = typename Make::vertex;
  std::vector<decltype(make.template object<vertex>())> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    all[i] = make.template object<vertex>();
    make.give_numbers(*all[i], splitmix(3, i) % 16);
  }
  for (std::size_t i = 0; i < count; ++i) {
    all[i]->value = i;
    // The first edges connect all vertices.
    for (unsigned e = 0; e < 4; ++e) all[i]->edges[e] = all[e == 0 ? (i + 1) % count : splitmix(5, 4 * i + e) % count];
  }
  return all[0];
}

}  // namespace bench
