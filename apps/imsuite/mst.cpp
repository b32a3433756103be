// mst: a minimum spanning tree, by fragments that grow along their lightest edges (MST).
//
//   Every node is a fragment at first. A phase: the fragments' roots make all their nodes search for the lightest edge
//   that leaves the fragment; the root moves to that edge's end; the fragments at both ends merge. Ends when one is
//   left. Ties between equal weights are broken by the edge's ends, or fragments could form a cycle (the suite's do).
//
// Source   IMSuite (JPDC 2015), mst; R. Gallager, P. Humblet, P. Spira (ACM TOPLAS 5(1), 1983); D. Peleg, "Distributed
//          Computing" (SIAM 2000), chapter 5.
#include <algorithm>
#include <tuple>

#include "imsuite/program.hpp"

namespace imsuite {
namespace {

struct mst {
  static constexpr kernel which = kernel::mst;

  struct edge {
    std::int32_t u = 0;  // in the fragment
    std::int32_t v = 0;  // outside; u itself if there is none
  };
  struct node {
    std::int32_t fragment_root = 0;
    std::int32_t parent = infinity;
    std::vector<std::int32_t> children;
    bool start = true, next_start = true;
    bool change = false, next_change = false;
    std::int32_t change_child = -1;  // below, on the way to where the root goes
    bool transmit = false, next_transmit = false;
    edge lightest;
    std::vector<std::int32_t> joins;  // roots that chose an edge to here
    std::vector<edge> found, next_found;
  };
  using flags = x10::dist_array<std::uint8_t>*;
  struct fields {
    x10::int_array* adj_graph;
    // Null until they are first made, in the region of interest.
    flags set_check, cagain, invagain, tagain, check_flag;

    [[nodiscard]] auto references() const {
      return std::tuple(adj_graph, set_check, cagain, invagain, tagain, check_flag);
    }
  };
  using self_t = benchmark<mst>;

  struct with_weights {
    x10::int_array* weight;
    [[nodiscard]] auto references() const { return std::tuple(weight); }
  };

  // Before the first phase, all arrays that will be made.
  static tess::task<fields> make_fields(input const& in, builder& make) {
    co_return fields{make_matrix(in.nodes, in.adjacency), co_await make.array<std::uint8_t>(),
                     co_await make.array<std::uint8_t>(), co_await make.array<std::uint8_t>(),
                     co_await make.array<std::uint8_t>(), co_await make.array<std::uint8_t>()};
  }

  static void initialize(self_t* self, std::int32_t i) { self->node(i).fragment_root = i; }

  // DistArray.make: from now on the benchmark object holds it.
  static tess::task<void> make(self_t* self, fields const& all, flags fields::* of) {
    self->own.*of = all.*of;
    return remake(self, all.*of);
  }

  template <flags fields::* Of>
  static tess::task<std::int32_t> count(self_t* self) {
    std::int32_t set = 0;
    for (std::int32_t i = 0; i < self->nodes; ++i)
      set += co_await evaluate(self, i, [](self_t* s, std::int32_t k) -> std::int32_t { return (*(s->own.*Of))(k); });
    co_return set;
  }

  static auto fragment_root_of(self_t* s, std::int32_t i) {
    return get(s, i, [](node const& n) { return n.fragment_root; });
  }

  static tess::task<void> signal_start(self_t* s, std::int32_t i) {
    return send(s, i, true, [](node& n, bool start) { n.next_start = start; });
  }

  // The roots' START goes down the trees, to the leaves.
  static tess::task<void> start_leaves(self_t* self, fields const& all) {
    do {
      co_await make(self, all, &fields::set_check);
      co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
        node& n = s->node(i);
        if (!n.start || n.children.empty()) co_return;
        n.start = n.next_start = false;
        for (std::int32_t const child : n.children) co_await signal_start(s, child);
        (*s->own.set_check)(i) = 1;
      });
      co_await sweep(self, [](self_t* s, std::int32_t i) { s->node(i).start = s->node(i).next_start; });
    } while (co_await count<&fields::set_check>(self) != 0);
  }

  static bool lighter(x10::int_array const& weight, edge a, edge b) {
    auto const rank = [&](edge e) {
      // No edge at all is heavier than any.
      return std::tuple(e.u == e.v, weight(e.u, e.v), std::min(e.u, e.v), std::max(e.u, e.v));
    };
    return rank(a) < rank(b);
  }

  // The lightest edge from node i to another fragment, and those that its children found.
  static tess::task<edge> find_minimum(self_t* s, std::int32_t i, x10::int_array const* weight) {
    node const& n = s->node(i);
    edge least{i, i};
    for (std::int32_t j = 0; j < s->nodes; ++j)
      if ((*s->own.adj_graph)(i, j) == 1 && co_await fragment_root_of(s, j) != n.fragment_root &&
          lighter(*weight, {i, j}, least))
        least = {i, j};
    for (edge const e : n.found)
      if (lighter(*weight, e, least)) least = e;
    co_return least;
  }

  // From the leaves up: a node decides when all its children have.
  static tess::task<void> find_lightest(self_t* self, fields const& all, x10::int_array* weight, std::int32_t roots) {
    co_await make(self, all, &fields::cagain);
    do {
      co_await sweep(self, with_weights{weight}, [](self_t* s, std::int32_t i, with_weights with) -> tess::task<void> {
        node& n = s->node(i);
        if (!n.start || n.found.size() != n.children.size()) co_return;
        n.lightest = co_await find_minimum(s, i, with.weight);
        n.start = n.next_start = false;
        if (n.fragment_root == i) {
          (*s->own.cagain)(i) = 1;
          co_return;
        }
        co_await send(s, n.parent, n.lightest, [](node& parent, edge const& e) { parent.next_found.push_back(e); });
        co_await signal_start(s, n.parent);
      });
      co_await sweep(self, [](self_t* s, std::int32_t i) {
        node& n = s->node(i);
        n.start = n.next_start;
        n.found.insert(n.found.end(), n.next_found.begin(), n.next_found.end());
        n.next_found.clear();
      });
    } while (co_await count<&fields::cagain>(self) != roots);
  }

  // Node i becomes the root, or lets `child` below it move that way.
  static tess::task<void> signal_change(self_t* s, std::int32_t i, std::int32_t child) {
    co_await send(s, i, true, [](node& n, bool change) { n.next_change = change; });
    co_await send(s, i, child, [](node& n, std::int32_t c) { n.change_child = c; });
  }

  static tess::task<void> take_change(self_t* self) {
    return sweep(self, [](self_t* s, std::int32_t i) { s->node(i).change = s->node(i).next_change; });
  }

  // One step of the root's move: parent and child exchange their roles.
  static tess::task<void> invert(self_t* s, std::int32_t i) {
    node& n = s->node(i);
    if (!n.change) co_return;
    n.change = n.next_change = false;
    bool const arrives = n.change_child == i;
    std::int32_t const below = n.change_child;
    std::int32_t const above = n.parent;
    n.fragment_root = arrives ? infinity : below;
    n.parent = arrives ? infinity : below;
    if (!arrives) {
      std::erase(n.children, below);
      n.change_child = -1;
    }
    if (above == infinity) {
      (*s->own.invagain)(i) = 1;
      co_return;
    }
    n.children.push_back(above);
    co_await signal_change(s, above, i);
  }

  // Every root moves to its edge's inner end.
  static tess::task<void> move_roots(self_t* self, fields const& all, std::int32_t roots) {
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      std::int32_t const u = s->node(i).lightest.u;
      if ((*s->own.check_flag)(i) != 0) co_await signal_change(s, u, u);
    });
    co_await take_change(self);
    co_await make(self, all, &fields::invagain);
    do {
      co_await sweep(self, [](self_t* s, std::int32_t i) { return invert(s, i); });
      co_await take_change(self);
    } while (co_await count<&fields::invagain>(self) != roots);
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      if (n.fragment_root == infinity) n.fragment_root = i;
    });
  }

  // If two fragments chose the same edge, the smaller root remains a root.
  static tess::task<void> add_fragment(self_t* s, std::int32_t i) {
    node& n = s->node(i);
    std::int32_t const v = n.lightest.v;
    if (std::ranges::find(n.joins, v) == n.joins.end()) {
      co_await send(s, v, i, [](node& to, std::int32_t child) { to.children.push_back(child); });
      n.parent = v;
      n.fragment_root = infinity;
    } else if (i < v) {
      tess::place_atomic([&] { n.children.push_back(v); });
      co_await send(s, v, i, [](node& to, std::int32_t parent) { to.parent = parent; });
      co_await send(s, v, i, [](node& to, std::int32_t root) { to.fragment_root = root; });
    }
  }

  static tess::task<void> merge(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node const& n = s->node(i);
      if (n.fragment_root == i)
        co_await send(s, n.lightest.v, i, [](node& to, std::int32_t root) { to.joins.push_back(root); });
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node const& n = s->node(i);
      (*s->own.check_flag)(i) =
          n.fragment_root == i && n.lightest.u == i && co_await fragment_root_of(s, n.lightest.v) != i;
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      if ((*s->own.check_flag)(i) != 0) co_await add_fragment(s, i);
    });
  }

  static tess::task<bool> any_transmits(self_t* self) {
    for (std::int32_t i = 0; i < self->nodes; ++i)
      if (co_await evaluate(self, i, [](self_t* s, std::int32_t k) { return (*s->own.tagain)(k); }) != 0)
        co_return true;
    co_return false;
  }

  // The new roots' names travel down their trees.
  static tess::task<void> transmit(self_t* self, fields const& all) {
    co_await sweep(self, [](self_t* s, std::int32_t i) { s->node(i).transmit = s->node(i).fragment_root == i; });
    do {
      co_await make(self, all, &fields::tagain);
      co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
        node& n = s->node(i);
        if (!n.transmit) co_return;
        n.transmit = n.next_transmit = false;
        (*s->own.tagain)(i) = !n.children.empty();
        for (std::int32_t const child : n.children) {
          co_await send(s, child, n.fragment_root, [](node& c, std::int32_t root) { c.fragment_root = root; });
          co_await send(s, child, true, [](node& c, bool yes) { c.next_transmit = yes; });
        }
      });
      co_await sweep(self, [](self_t* s, std::int32_t i) { s->node(i).transmit = s->node(i).next_transmit; });
    } while (co_await any_transmits(self));
  }

  static tess::task<void> one_phase(self_t* self, fields const& all, x10::int_array* weight) {
    co_await make(self, all, &fields::check_flag);
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      if (n.fragment_root == i) n.start = (*s->own.check_flag)(i) = 1;
    });
    std::int32_t const roots = co_await count<&fields::check_flag>(self);
    co_await start_leaves(self, all);
    co_await find_lightest(self, all, weight, roots);
    co_await move_roots(self, all, roots);
    co_await merge(self);
    co_await transmit(self, all);
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      n.start = n.next_start = n.next_change = n.transmit = n.next_transmit = false;
      n.change_child = -1;
      n.joins.clear();
      n.found.clear();
    });
  }

  static tess::task<bool> several_fragments(self_t* self) {
    std::int32_t const first = co_await fragment_root_of(self, 0);
    for (std::int32_t i = 1; i < self->nodes; ++i)
      if (co_await fragment_root_of(self, i) != first) co_return true;
    co_return false;
  }

  static tess::task<void> run(self_t* self, input const& in) {
    fields const all = self->own;
    self->own = fields{all.adj_graph, nullptr, nullptr, nullptr, nullptr, nullptr};
    auto* const weight = make_ints(in.nodes, in.weights);
    do {
      co_await one_phase(self, all, weight);
    } while (co_await several_fragments(self));
  }

  struct place_in_tree {
    std::int32_t parent;
    std::int32_t root;
    tess::array<std::int32_t> children;
    [[nodiscard]] auto references() const { return std::tuple(children); }
  };

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<tree_node> tree;
    std::vector<std::int32_t> parent;
    std::int32_t root = 0;
    std::int64_t weight = 0;
    for (std::int32_t i = 0; i < self->nodes; ++i) {
      auto const found = co_await get_object(self, i, [](node const& n) {
        return tess::make<place_in_tree>(n.parent, n.fragment_root,
                                         tess::array<std::int32_t>(std::span<std::int32_t const>(n.children)));
      });
      tree.push_back({found->parent, {found->children.begin(), found->children.end()}});
      parent.push_back(found->parent);
      root = found->root;
      if (found->parent != infinity) weight += in.weight(i, found->parent);
    }
    out.number("weight", weight);
    out.number("root", root);
    out.per_node("parent", parent);
    co_return wrong_spanning_tree(in, root, tree);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::mst>(argc, argv);
}
