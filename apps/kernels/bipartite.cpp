// bipartite: a search from the roots of the components, then a look at every edge.
#include "kernels/bipartite.hpp"

#include <algorithm>
#include <atomic>

#include "kernels/components.hpp"
#include "kernels/replicated.hpp"
#include "kernels/spread.hpp"

namespace kernels {

namespace {

using graph::vertex;

constexpr auto relaxed = std::memory_order_relaxed;

enum paint : std::uint8_t { unpainted, zero, one };

// A vertex and its paint.
struct painted {
  vertex v;
  paint with;
};
using turn = spread_turn<painted>;

using edge = std::pair<vertex, vertex>;
constexpr vertex no_vertex = ~vertex{0};

// std::pair is not for reductions.
struct ends {
  vertex u;
  vertex v;
};
ends smaller(ends a, ends b) {
  return edge(a.u, a.v) < edge(b.u, b.v) ? a : b;
}

// The view of one place. Its copy has the paint of own vertices, and of others the paint that it has sent to them.
class painting {
 public:
  painting(graph::distributed_graph g, components const& parts, replicated<std::uint8_t> paints,
           outboxes<painted> boxes)
      : g_(g), part_(g.part()), all_(paints), paints_(paints.local().data()), boxes_(boxes) {
    for (vertex i = 0; i < part_.count; ++i) {
      vertex const v = part_.first + i;
      if (parts.label_here(v) != v) continue;
      paints_[v] = part_.out.degree(i) == 0 ? zero : one;
      if (paints_[v] == one) roots_.push_back(v);
    }
  }

  // The first edge whose ends have the same paint.
  tess::task<ends> run() {
    co_await spread<painted>(
        boxes_, roots_,
        [this](vertex v, turn& t) {
          paint const other = paints_[v] == one ? zero : one;
          for (vertex const w : part_.out.neighbours(v - part_.first)) {
            if (!apply({w, other})) continue;
            if (part_.owns(w))
              t.push(w);
            else
              t.send(g_.owner(w), {w, other});
          }
        },
        [this](painted p, turn& t) {
          if (apply(p)) t.push(p.v);
        },
        spread_order::in_rounds);
    co_await tess::barrier();
    co_await all_.gather();
    co_return co_await tess::all_reduce(first_odd_edge(), smaller);
  }

 private:
  [[nodiscard]] bool apply(painted p) const {
    std::uint8_t before = unpainted;
    std::atomic_ref const known(paints_[p.v]);
    return known.load(relaxed) == unpainted && known.compare_exchange_strong(before, p.with, relaxed);
  }

  [[nodiscard]] ends first_odd_edge() const {
    for (vertex i = 0; i < part_.count; ++i)
      for (vertex const w : part_.out.neighbours(i))
        if (paints_[part_.first + i] == paints_[w]) return {part_.first + i, w};
    return {no_vertex, no_vertex};
  }

  graph::distributed_graph g_;
  graph::graph_part const& part_;
  replicated<std::uint8_t> all_;
  std::uint8_t* paints_;
  outboxes<painted> boxes_;
  std::vector<vertex> roots_;
};

}  // namespace

tess::task<two_colouring> two_colours(graph::distributed_graph g) {
  components const parts = co_await components::make(g);
  co_await parts.run();
  auto const paints = co_await replicated<std::uint8_t>::make(g.vertices(), g.block());
  auto const boxes = co_await outboxes<painted>::make();
  auto const found = co_await tess::place_local<ends>::make();
  co_await tess::on_all_places(
      [](graph::distributed_graph all, components of, replicated<std::uint8_t> p, outboxes<painted> b,
         tess::place_local<ends> into) -> tess::task<void> {
        painting search(all, of, p, b);
        *into = co_await search.run();
      },
      g, parts, paints, boxes, found);
  two_colouring result;
  ends const odd = *found;
  if (odd.u != no_vertex) {
    result.odd = {odd.u, odd.v};
  } else {
    result.colours.resize(g.vertices());
    std::ranges::transform(paints.local(), result.colours.begin(),
                           [](std::uint8_t p) { return static_cast<std::uint8_t>(p == one); });
  }
  co_await tess::place_local<ends>::release(found);
  co_await outboxes<painted>::release(boxes);
  co_await replicated<std::uint8_t>::release(paints);
  co_await components::release(parts);
  co_return result;
}

}  // namespace kernels
