// mis: a maximal independent set by random numbers: a node that draws less than all its neighbours joins (MIS).
//
//   Rounds: draw and send; the winners join, mark their neighbours and have all edges of these removed; until no edge
//   is left. Unmarked nodes then join too. The random numbers are the suite's, hence also the choices.
//
// Source   IMSuite (JPDC 2015), mis; M. Luby (1986).
#include <algorithm>

#include "imsuite/program.hpp"
#include "imsuite/x10_random.hpp"

namespace imsuite {
namespace {

struct mis {
  static constexpr kernel which = kernel::mis;

  struct node {
    double drawn = 0;
    std::vector<std::int32_t> neighbors;
    std::vector<std::int32_t> delete_queue;
    std::vector<double> box;
  };
  struct random_of_node {
    x10_random random{0};
  };
  struct fields {
    x10::int_array* adj_graph;
    x10::dist_array<std::uint8_t>* mis_set;
    x10::dist_array<std::uint8_t>* mark;
    x10::dist_array<random_of_node>* rs;

    [[nodiscard]] auto references() const { return std::tuple(adj_graph, mis_set, mark, rs); }
  };
  using self_t = benchmark<mis>;

  static tess::task<fields> make_fields(input const& in, builder& make) {
    co_return fields{make_matrix(in.nodes, in.adjacency), co_await make.array<std::uint8_t>(),
                     co_await make.array<std::uint8_t>(), co_await make.array<random_of_node>()};
  }

  static void initialize(self_t* self, std::int32_t i) {
    self->node(i).neighbors = neighbors_in(*self->own.adj_graph, self->nodes, i);
    (*self->own.rs)(i).random = x10_random(i);
  }

  static tess::task<void> draw(self_t* self) {
    return sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      n.drawn = (*s->own.rs)(i).random.next_double();
      for (std::int32_t const j : n.neighbors)
        co_await send(s, j, n.drawn, [](node& to, double value) { to.box.push_back(value); });
    });
  }

  static tess::task<void> set_mark(self_t* s, std::int32_t i) {
    return at_node(s, i, [](self_t* t, std::int32_t k) { tess::place_atomic([&] { (*t->own.mark)(k) = 1; }); });
  }
  // Node `from` will no longer be a neighbour of node i.
  static tess::task<void> delete_edge(self_t* s, std::int32_t i, std::int32_t from) {
    return send(s, i, from, [](node& n, std::int32_t other) { n.delete_queue.push_back(other); });
  }
  // Nor of any other node.
  static tess::task<void> delete_neighbor(self_t* s, std::int32_t i) {
    return at_node(s, i, [](self_t* t, std::int32_t k) -> tess::task<void> {
      for (std::int32_t const j : t->node(k).neighbors) {
        co_await delete_edge(t, j, k);
        co_await delete_edge(t, k, j);
      }
    });
  }

  static tess::task<void> join(self_t* self) {
    return sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node const& n = s->node(i);
      if (n.neighbors.empty() || std::ranges::any_of(n.box, [&](double other) { return other <= n.drawn; })) co_return;
      (*s->own.mis_set)(i) = 1;
      tess::place_atomic([&] { (*s->own.mark)(i) = 1; });
      for (std::int32_t const j : n.neighbors) {
        co_await set_mark(s, j);
        co_await delete_edge(s, j, i);
        co_await delete_neighbor(s, j);
        co_await delete_edge(s, i, j);
      }
    });
  }

  static tess::task<void> remove_edges(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      for (std::int32_t const gone : n.delete_queue) std::erase(n.neighbors, gone);
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      n.delete_queue.clear();
      n.box.clear();
    });
  }

  static tess::task<bool> edges_left(self_t* self) {
    for (std::int32_t i = 0; i < self->nodes; ++i) {
      auto const neighbors = co_await get_object(self, i, [](node const& n) { return make_ints(n.neighbors); });
      if (!neighbors->raw.empty()) co_return true;
    }
    co_return false;
  }

  static tess::task<void> run(self_t* self, input const&) {
    do {
      co_await draw(self);
      co_await join(self);
      co_await remove_edges(self);
    } while (co_await edges_left(self));
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      if ((*s->own.mark)(i) == 0) (*s->own.mis_set)(i) = 1;
    });
  }

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<std::uint8_t> chosen;
    for (std::int32_t i = 0; i < self->nodes; ++i)
      chosen.push_back(co_await evaluate(self, i, [](self_t* s, std::int32_t k) { return (*s->own.mis_set)(k); }));
    out.number("members", std::ranges::count(chosen, 1));
    out.per_node("member", std::vector<std::int32_t>(chosen.begin(), chosen.end()));
    co_return wrong_independent_set(in, chosen);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::mis>(argc, argv);
}
