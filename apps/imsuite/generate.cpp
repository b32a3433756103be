// generate: draws the inputs from one java_random, in the order of the suite's generators.
#include "imsuite/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "graph/error.hpp"
#include "imsuite/java_random.hpp"

namespace imsuite {

namespace {

[[noreturn]] void refuse(std::string_view option, std::int64_t value, std::string const& expected) {
  throw graph::input_error(option, 0, fmt::format("{}", value), expected);
}

class generator {
 public:
  generator(kernel k, generation const& how) : kernel_(k), how_(how), random_(how.seed) { made_.nodes = how.nodes; }

  input run() {
    check();
    parts const has = parts_of(kernel_);
    if (has.adjacency) draw_limits(has);
    if (has.votes) draw_traitors();
    if (has.adjacency) draw_graph();
    if (has.root && !has.parents) made_.root = random_.next_int(nodes());
    if (has.votes)
      for (std::int32_t i = 0; i < nodes(); ++i) made_.votes.push_back(static_cast<std::uint8_t>(random_.next_int(2)));
    if (kernel_ == kernel::dijkstra_routing) draw_routing_weights();
    if (kernel_ == kernel::mst) draw_tree_weights();
    if (has.ids) draw_ids();
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::int32_t nodes() const noexcept { return how_.nodes; }
  [[nodiscard]] bool tree_only() const noexcept { return kernel_ == kernel::vertex_coloring; }
  [[nodiscard]] std::size_t index(std::int32_t i, std::int32_t j) const noexcept {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(nodes()) + static_cast<std::size_t>(j);
  }

  // Number of edges beyond the tree, for a sparse maximum graph. The suite's formula, in floating point.
  [[nodiscard]] std::int64_t extra_edges() const {
    double const log2 = std::log(static_cast<double>(nodes())) / std::log(2.0);
    return std::int64_t{nodes()} * static_cast<std::int64_t>(log2) - nodes();
  }

  void check() const {
    std::int32_t const least = kernel_ == kernel::byzantine ? 8 : 2;
    if (nodes() < least || nodes() > nodes_max)
      refuse("--size", nodes(), fmt::format("{} to {} nodes", least, nodes_max));
    bool const tree_kind = how_.kind == graph_kind::chain || how_.kind == graph_kind::star;
    if (tree_only() ? !(tree_kind || how_.kind == graph_kind::random) : tree_kind)
      throw graph::input_error("--graph", 0, "a sort of graph that this kernel cannot have",
                               tree_only() ? "rn, chain or star: a tree" : "rn, cplt, spmin or spmax");
    std::int64_t const free_pairs = std::int64_t{nodes()} * (nodes() - 1) / 2 - (nodes() - 1);
    if (!tree_only() && how_.kind == graph_kind::sparse_maximum && extra_edges() > free_pairs)
      refuse("--size", nodes(),
             fmt::format("a size with room for {} edges beside a tree, or another sort of graph", extra_edges()));
    if (how_.max_children < 0) refuse("--max-children", how_.max_children, "0 or more");
    if (how_.committee < 0) refuse("--committee", how_.committee, "0 or more");
  }

  // The most children of a node, and K.
  void draw_limits(parts const& has) {
    if (tree_only()) {
      max_children_ = how_.kind == graph_kind::chain  ? 1
                      : how_.kind == graph_kind::star ? nodes()
                                                      : random_.next_int(nodes() - 1) + 1;
      return;
    }
    max_children_ = how_.max_children;
    if (max_children_ == 0) max_children_ = std::max(random_.next_int(nodes() - 1), 1);
    if (!has.committee) return;
    made_.committee = how_.committee;
    if (how_.committee != 0) return;
    made_.committee = std::max(random_.next_int(nodes()), 1);
    // Drawn and not used, as in the suite.
    if (how_.kind == graph_kind::random || how_.kind == graph_kind::complete) made_.committee = 3;
  }

  void draw_traitors() {
    std::vector<bool> chosen(static_cast<std::size_t>(nodes()));
    std::size_t const count = static_cast<std::size_t>(nodes() / 8 - 1);
    while (made_.traitors.size() < count) {
      std::int32_t const id = random_.next_int(nodes());
      if (chosen[static_cast<std::size_t>(id)]) continue;
      chosen[static_cast<std::size_t>(id)] = true;
      made_.traitors.push_back(id);
    }
  }

  void join(std::int32_t i, std::int32_t j) { made_.adjacency[index(i, j)] = made_.adjacency[index(j, i)] = 1; }

  void draw_graph() {
    made_.adjacency.assign(index(nodes(), 0), 0);
    bool const complete = how_.kind == graph_kind::complete;
    if (tree_only() || !(complete || how_.kind == graph_kind::random)) {
      draw_tree();
      if (how_.kind == graph_kind::sparse_maximum) draw_extra_edges();
      return;
    }
    for (std::int32_t i = 0; i < nodes(); ++i)
      for (std::int32_t j = i + 1; j < nodes(); ++j)
        if (complete || random_.next_int(2) != 0) join(i, j);
  }

  [[nodiscard]] std::int32_t draw_children() {
    bool const drawn = !tree_only() || (max_children_ > 1 && max_children_ < nodes());
    return drawn ? random_.next_int(max_children_) + 1 : max_children_;
  }

  // Nodes are numbered in order of creation, depth first; each draws its number of children before they do.
  void draw_tree() {
    // The generators shuffle the nodes' values first, but never use them.
    for (std::int32_t i = 0; i < 4 * nodes(); ++i) static_cast<void>(random_.next_int());
    if (parts_of(kernel_).parents) made_.parents.assign(static_cast<std::size_t>(nodes()), 0);
    struct parent {
      std::int32_t id;
      std::int32_t children_left;
    };
    std::vector<parent> open;
    std::int32_t promised = 1;
    for (std::int32_t id = 0; id < nodes(); ++id) {
      while (!open.empty() && open.back().children_left == 0) open.pop_back();
      if (!open.empty()) {
        --open.back().children_left;
        join(id, open.back().id);
        if (!made_.parents.empty()) made_.parents[static_cast<std::size_t>(id)] = open.back().id;
      }
      std::int32_t const children = std::min(draw_children(), nodes() - promised);
      promised += children;
      open.push_back({id, children});
    }
  }

  void draw_extra_edges() {
    for (std::int64_t left = extra_edges(); left > 0;) {
      std::int32_t const i = random_.next_int(nodes());
      std::int32_t const j = random_.next_int(nodes());
      if (i == j || made_.joined(i, j)) continue;
      join(i, j);
      --left;
    }
  }

  void draw_routing_weights() {
    made_.weights.assign(index(nodes(), 0), std::numeric_limits<std::int32_t>::max());
    for (std::int32_t i = 0; i < nodes(); ++i)
      for (std::int32_t j = 0; j < nodes(); ++j)
        // Both directions each time, so the later of two draws remains.
        if (i != j) {
          std::int32_t const w = how_.equal_weights ? 1 : random_.next_int(nodes() * 20);
          made_.weights[index(i, j)] = made_.weights[index(j, i)] = w;
        }
  }

  void draw_tree_weights() {
    made_.weights.assign(index(nodes(), 0), std::numeric_limits<std::int32_t>::max());
    // The matrix while it is filled: the diagonal, and zero for elements not yet drawn. A draw is
    // compared before its sign is dropped, as in the suite.
    std::unordered_set<std::int32_t> seen{std::numeric_limits<std::int32_t>::max(), 0};
    for (std::int32_t i = 0; i < nodes(); ++i)
      for (std::int32_t j = i + 1; j < nodes(); ++j) {
        std::int32_t drawn = random_.next_int();
        while (seen.contains(drawn)) drawn = random_.next_int();
        // The smallest integer has no opposite and stays negative.
        if (drawn < 0) drawn = static_cast<std::int32_t>(0U - static_cast<std::uint32_t>(drawn));
        seen.insert(drawn);
        made_.weights[index(i, j)] = made_.weights[index(j, i)] = drawn;
      }
  }

  void draw_ids() {
    made_.ids.resize(static_cast<std::size_t>(nodes()));
    std::iota(made_.ids.begin(), made_.ids.end(), 1);
    for (std::int32_t i = 0; i < 4 * nodes(); ++i) {
      auto const x = static_cast<std::size_t>(random_.next_remainder(nodes()));
      auto const y = static_cast<std::size_t>(random_.next_remainder(nodes()));
      std::swap(made_.ids[x], made_.ids[y]);
    }
  }

  kernel kernel_;
  generation how_;
  java_random random_;
  input made_;
  std::int32_t max_children_ = 1;
};

}  // namespace

generation paper_input(kernel k) noexcept {
  using enum graph_kind;
  switch (k) {
    case kernel::bfs_bellman_ford:
    case kernel::mis:
      return {.nodes = 64, .kind = sparse_maximum};
    case kernel::byzantine:
      return {.nodes = 16, .kind = sparse_maximum};
    case kernel::dijkstra_routing:
      return {.nodes = 32, .kind = sparse_maximum, .equal_weights = true};
    case kernel::dominating_set:
    case kernel::leader_elect_dp:
    case kernel::mst:
      return {.nodes = 32, .kind = sparse_maximum};
    case kernel::k_committee:
      return {.nodes = 64, .kind = random, .committee = 3};
    case kernel::bfs_dijkstra:
    case kernel::leader_elect_hs:
    case kernel::leader_elect_lcr:
    case kernel::vertex_coloring:
      return {.nodes = 64, .kind = random};
  }
  return {};
}

input generate(kernel k, generation const& how) {
  return generator(k, how).run();
}

}  // namespace imsuite
