// vertex_coloring: three colours for a rooted tree (VC).
//
//   Six colours first: each node compares its colour with its parent's and keeps the number and value of the lowest bit
//   that differs. Then colours 5, 4 and 3 are removed: all take their parent's colour, the root another one, and the
//   nodes of the removed colour take the least that neither parent nor children have.
//
// Source   IMSuite (JPDC 2015), vertexColoring, whose choice of the last colour can clash; R. Cole, U. Vishkin (1986);
//          A. Goldberg, S. Plotkin, G. Shannon (1988).
#include <bit>

#include "imsuite/program.hpp"
#include "imsuite/x10_random.hpp"

namespace imsuite {
namespace {

struct vertex_coloring {
  static constexpr kernel which = kernel::vertex_coloring;

  struct node {
    std::int32_t parent = 0;
    std::vector<std::int32_t> children;
    std::int32_t color = 0;
    std::int32_t received = 0;
  };
  struct fields {
    x10::int_array* adj_graph;
    x10::int_array* parent;
    x10::int_array* nlabel;  // the first colours
    x10::dist_array<std::uint8_t>* again;
    std::int32_t root;
    std::int32_t label;  // bits of a first colour

    [[nodiscard]] auto references() const { return std::tuple(adj_graph, parent, nlabel, again); }
  };
  using self_t = benchmark<vertex_coloring>;

  static tess::task<fields> make_fields(input const& in, builder& make) {
    std::vector<std::int32_t> first(static_cast<std::size_t>(in.nodes));
    for (std::int32_t i = 0; i < in.nodes; ++i) first[static_cast<std::size_t>(i)] = i;
    co_return fields{make_matrix(in.nodes, in.adjacency),
                     make_ints(in.parents),
                     make_ints(first),
                     co_await make.array<std::uint8_t>(),
                     in.root,
                     static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(in.nodes - 1)))};
  }

  static void initialize(self_t* self, std::int32_t i) {
    node& n = self->node(i);
    n.parent = (*self->own.parent)(i);
    n.children = neighbors_in(*self->own.adj_graph, self->nodes, i);
    if (i != self->own.root) std::erase(n.children, n.parent);
    n.color = (*self->own.nlabel)(i);
  }

  static tess::task<void> send_colors(self_t* self) {
    return sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      (*s->own.again)(i) = 0;
      node const& n = s->node(i);
      for (std::int32_t const child : n.children)
        co_await send(s, child, n.color, [](node& c, std::int32_t color) { c.received = color; });
    });
  }

  static tess::task<void> six_colors(self_t* self) {
    co_await send_colors(self);
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      if (i == s->own.root) return;
      auto const differing = static_cast<std::uint32_t>(n.received ^ n.color);
      auto const k = static_cast<std::int32_t>(std::countr_zero(differing));
      if (k < s->own.label) n.color = 2 * k + ((n.color >> k) & 1);
      (*s->own.again)(i) = n.color >= 6;
    });
  }

  static tess::task<bool> any_again(self_t* self) {
    for (std::int32_t i = 0; i < self->nodes; ++i)
      if (co_await evaluate(self, i, [](self_t* s, std::int32_t k) { return (*s->own.again)(k); }) != 0) co_return true;
    co_return false;
  }

  static std::int32_t least_but(std::int32_t a, std::int32_t b) {
    std::int32_t c = 0;
    while (c == a || c == b) ++c;
    return c;
  }

  static auto color_of(self_t* s, std::int32_t i) {
    return get(s, i, [](node const& n) { return n.color; });
  }

  // After the shift all children of a node have one colour, so the first one suffices.
  static tess::task<void> remove_color(self_t* self, std::int32_t color) {
    co_await send_colors(self);
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      if (i != s->own.root) n.color = n.received;
    });
    co_await at_node(self, self->own.root, color, [](self_t* s, std::int32_t i, std::int32_t x) {
      std::int32_t const drawn = x10_random(x).next_int(3);
      s->node(i).color = s->node(i).color == drawn ? (drawn + 1) % 3 : drawn;
    });
    co_await sweep(self, color, [](self_t* s, std::int32_t i, std::int32_t x) -> tess::task<void> {
      node& n = s->node(i);
      if (n.color != x) co_return;
      std::int32_t const above = co_await color_of(s, n.parent);
      std::int32_t const below = n.children.empty() ? -1 : co_await color_of(s, n.children.front());
      n.color = least_but(above, below);
    });
  }

  static tess::task<void> run(self_t* self, input const&) {
    co_await imsuite::send(self, self->own.root, 0, [](node& n, std::int32_t color) { n.color = color; });
    do {
      co_await six_colors(self);
    } while (co_await any_again(self));
    for (std::int32_t color = 5; color > 2; --color) co_await remove_color(self, color);
  }

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<std::int32_t> color;
    for (std::int32_t i = 0; i < self->nodes; ++i) color.push_back(co_await color_of(self, i));
    for (std::int32_t c = 0; c < 3; ++c) out.number("color_" + std::to_string(c), std::ranges::count(color, c));
    out.per_node("color", color);
    co_return wrong_coloring(in, color);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::vertex_coloring>(argc, argv);
}
