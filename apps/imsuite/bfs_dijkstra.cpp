// bfs_dijkstra: a breadth-first tree, a level per phase, with signals down and echoes up the tree (DST).
//
//   Phase p: the root's START travels down p levels; the nodes of level p send JOIN to neighbours they have not
//   contacted; a node without a parent accepts the JOIN of the smallest sender and refuses the others; echoes go up.
//   Ends when a phase found no node.
//
// Source   IMSuite (JPDC 2015), bfsDijkstra; D. Peleg, "Distributed Computing" (SIAM 2000), chapter 5.
#include <algorithm>

#include "imsuite/program.hpp"

namespace imsuite {
namespace {

struct bfs_dijkstra {
  static constexpr kernel which = kernel::bfs_dijkstra;

  struct node {
    bool is_root = false;
    std::int32_t parent = infinity;
    std::vector<std::int32_t> children;
    std::int32_t phase_discovered = -1;
    std::int32_t current_phase = 0;
    std::int32_t next_phase = 0;
    bool start = false;  // the signal START
    bool next_start = false;
    bool start_sent = false;
    std::vector<std::int32_t> neighbors;
    std::vector<std::uint8_t> talked;  // to whom
    std::vector<std::int32_t> joins;   // nodes that asked
    std::int32_t accepted = 0;         // answers, and those under way
    std::int32_t refused = 0;
    std::int32_t next_accepted = 0;
    std::int32_t next_refused = 0;
    std::int32_t echoes = 0;
  };
  struct fields {
    x10::int_array* adj_graph;
    x10::dist_array<std::uint8_t>* found;  // a node was found in this phase
    std::int32_t root;

    [[nodiscard]] auto references() const { return std::tuple(adj_graph, found); }
  };
  using self_t = benchmark<bfs_dijkstra>;

  static tess::task<fields> make_fields(input const& in, builder& make) {
    co_return fields{make_matrix(in.nodes, in.adjacency), co_await make.array<std::uint8_t>(), in.root};
  }

  static void initialize(self_t* self, std::int32_t i) {
    node& n = self->node(i);
    n.neighbors = neighbors_in(*self->own.adj_graph, self->nodes, i);
    n.talked.assign(static_cast<std::size_t>(self->nodes), 0);
    n.is_root = i == self->own.root;
    if (n.is_root) n.phase_discovered = 0;
  }

  static std::uint8_t& talked(node& n, std::int32_t to) { return n.talked[static_cast<std::size_t>(to)]; }

  // Down one level of the tree.
  static tess::task<void> send_start(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      if (!n.start || n.start_sent) co_return;
      n.start_sent = true;
      for (std::int32_t const child : n.children)
        co_await send(s, child, n.current_phase, [](node& c, std::int32_t phase) {
          c.next_start = true;
          c.next_phase = phase;
        });
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      if (!std::exchange(n.next_start, false)) return;
      n.start = true;
      n.current_phase = n.next_phase;
    });
  }

  struct join {
    std::int32_t from;
    std::int32_t phase;
  };

  static tess::task<void> send_joins(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      // Others' JOINs set phase_discovered meanwhile, but never to the current phase.
      if (!tess::place_atomic([&] { return n.phase_discovered == n.current_phase; })) co_return;
      for (std::int32_t const j : n.neighbors) {
        if (talked(n, j) != 0) continue;
        talked(n, j) = 1;
        co_await send(s, j, join{i, n.current_phase}, [](node& to, join const& m) {
          to.joins.push_back(m.from);
          if (!to.is_root && to.parent == infinity) to.phase_discovered = m.phase + 1;
        });
      }
    });
  }

  static tess::task<void> answer_joins(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      // In order of senders, so that the tree does not depend on the order of arrival.
      std::ranges::sort(n.joins);
      for (std::int32_t const from : n.joins) {
        bool const accept = !n.is_root && n.parent == infinity;
        co_await send(s, from, accept, [](node& to, bool accepted) {
          if (accepted)
            ++to.next_accepted;
          else
            ++to.next_refused;
        });
        talked(n, from) = 1;
        if (!accept) continue;
        n.parent = from;
        co_await send(s, from, i, [](node& to, std::int32_t child) { to.children.push_back(child); });
        (*s->own.found)(i) = 1;
      }
      n.joins.clear();
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      n.accepted += std::exchange(n.next_accepted, 0);
      n.refused += std::exchange(n.next_refused, 0);
    });
  }

  static tess::task<bool> found_somebody(self_t* self) {
    for (std::int32_t i = 0; i < self->nodes; ++i)
      if (co_await evaluate(self, i, [](self_t* s, std::int32_t k) { return (*s->own.found)(k); }) != 0) co_return true;
    co_return false;
  }

  static tess::task<void> echo(self_t* self, std::int32_t phase) {
    for (std::int32_t p = phase; p > 0; --p)
      co_await sweep(self, [p](self_t* s, std::int32_t i) -> tess::task<void> {
        node& n = s->node(i);
        if (n.phase_discovered == p) co_await send(s, n.parent, i, [](node& parent, std::int32_t) { ++parent.echoes; });
      });
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      n.start = n.next_start = n.start_sent = false;
    });
  }

  static tess::task<void> run(self_t* self, input const&) {
    for (std::int32_t phase = 0;; ++phase) {
      co_await remake(self, self->own.found);
      co_await at_node(self, self->own.root, phase, [](self_t* s, std::int32_t i, std::int32_t p) {
        s->node(i).current_phase = p;
        s->node(i).start = true;
      });
      for (std::int32_t p = 0; p < phase; ++p) co_await send_start(self);
      co_await send_joins(self);
      co_await answer_joins(self);
      if (!co_await found_somebody(self)) co_return;
      co_await echo(self, phase);
    }
  }

  struct place_in_tree {
    std::int32_t parent;
    std::int32_t phase;
    tess::array<std::int32_t> children;
    [[nodiscard]] auto references() const { return std::tuple(children); }
  };

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<tree_node> tree;
    std::vector<std::int32_t> phase, parent;
    for (std::int32_t i = 0; i < self->nodes; ++i) {
      auto const found = co_await get_object(self, i, [](node const& n) {
        return tess::make<place_in_tree>(n.parent, n.phase_discovered,
                                         tess::array<std::int32_t>(std::span<std::int32_t const>(n.children)));
      });
      tree.push_back({found->parent, {found->children.begin(), found->children.end()}});
      phase.push_back(found->phase);
      parent.push_back(found->parent);
    }
    out.number("reached", std::ranges::count_if(phase, [](std::int32_t p) { return p >= 0; }));
    out.number("depth", std::ranges::max(phase));
    out.per_node("parent", parent);
    co_return wrong_search_tree(in, tree);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::bfs_dijkstra>(argc, argv);
}
