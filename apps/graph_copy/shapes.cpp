// shapes: construction of the graphs.
#include "graph_copy/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "graph/edge_reader.hpp"
#include "graph/graph_input.hpp"

namespace graph_copy {

namespace {
std::uint64_t below(std::mt19937_64& random, std::uint64_t end) {
  return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random);
}
}  // namespace

list_node* make_list(std::uint64_t count, order how, std::uint64_t seed) {
  if (count == 0) return nullptr;
  std::vector<list_node*> nodes(count);
  for (std::uint64_t i = 0; i < count; ++i)
    nodes[i] = tess::make<list_node>(nullptr, nullptr, static_cast<std::int64_t>(i));
  if (how == order::shuffled) {
    std::mt19937_64 random(seed);
    std::ranges::shuffle(nodes, random);
  }
  for (std::uint64_t i = 1; i < count; ++i) {
    nodes[i - 1]->next = nodes[i];
    nodes[i]->previous = nodes[i - 1];
  }
  return nodes.front();
}

tree_node* make_tree(std::uint64_t count) {
  if (count == 0) return nullptr;
  std::vector<tree_node*> nodes(count);
  for (std::uint64_t i = 0; i < count; ++i)
    nodes[i] = tess::make<tree_node>(nullptr, nullptr, static_cast<std::int64_t>(i));
  // Numbered as in a heap.
  for (std::uint64_t i = 0; i < count; ++i) {
    if (2 * i + 1 < count) nodes[i]->left = nodes[2 * i + 1];
    if (2 * i + 2 < count) nodes[i]->right = nodes[2 * i + 2];
  }
  return nodes.front();
}

vertices* make_random_graph(std::uint64_t count, std::uint64_t degree, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto* const made = tess::make<vertices>(tess::array<vertex*>(count));
  for (std::uint64_t i = 0; i < count; ++i)
    made->all[i] = tess::make<vertex>(static_cast<std::int64_t>(i), tess::array<vertex*>(degree),
                                      tess::array<std::int64_t>(degree));
  for (vertex* const v : made->all) {
    for (vertex*& to : v->successors) to = made->all[below(random, count)];
    for (std::int64_t& value : v->data) value = static_cast<std::int64_t>(random());
  }
  return made;
}

items* make_items(std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto* const made = tess::make<items>(tess::array<item*>(count));
  for (std::uint64_t i = 0; i < count; ++i)
    made->all[i] = tess::make<item>(static_cast<std::int64_t>(random()), nullptr);
  for (std::uint64_t i = 0; i < count; i += 2) made->all[i]->other = made->all[below(random, count)];
  return made;
}

vertices* make_from(std::string const& spec) {
  graph::graph_input const input = graph::open_graph(spec);
  graph::edge_reader reader(input);
  std::vector<graph::edge> edges, batch;
  while (reader.next(batch)) edges.insert(edges.end(), batch.begin(), batch.end());
  graph::check_entries(input, reader.entries_count());
  if (!input.directed)
    for (std::size_t i = 0, n = edges.size(); i < n; ++i)
      if (edges[i].source != edges[i].target) edges.push_back({edges[i].target, edges[i].source, edges[i].weight});

  std::vector<std::uint64_t> degree(reader.vertices_count());
  for (graph::edge const& e : edges) ++degree[e.source];
  auto* const made = tess::make<vertices>(tess::array<vertex*>(degree.size()));
  for (std::uint64_t i = 0; i < degree.size(); ++i)
    made->all[i] = tess::make<vertex>(static_cast<std::int64_t>(i), tess::array<vertex*>(degree[i]),
                                      tess::array<std::int64_t>(input.weighted ? degree[i] : 0));
  for (graph::edge const& e : edges) {
    vertex const& from = *made->all[e.source];
    std::uint64_t const k = --degree[e.source];
    from.successors[k] = made->all[e.target];
    if (input.weighted) from.data[k] = std::llround(e.weight);
  }
  return made;
}

}  // namespace graph_copy
