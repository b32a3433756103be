// dominating_set: a small dominating set by spans, supports and coins (DS).
//
//   A node's span is the number of white nodes in its closed neighbourhood. Rounds: a node with the greatest span,
//   rounded to a power of two, within two hops is active; its neighbours count the active ones around them (support);
//   an active node becomes a candidate with probability 1 / greatest support of a white neighbour, and joins if it
//   covers enough nodes that few other candidates cover. The random numbers are the suite's, hence also the choices.
//
// Source   IMSuite (JPDC 2015), dominatingSet; L. Jia, R. Rajaraman, T. Suel, "An efficient distributed algorithm for
//          constructing small dominating sets" (Distributed Computing 15, 2002).
#include <algorithm>
#include <bit>

#include "imsuite/program.hpp"
#include "imsuite/x10_random.hpp"

namespace imsuite {
namespace {

enum class color : std::uint8_t { white, grey, black };

struct dominating_set {
  static constexpr kernel which = kernel::dominating_set;

  struct node {
    std::vector<std::int32_t> closed;  // neighbours, and itself at the end
    std::vector<std::int32_t> white;   // those that are white
    std::vector<std::int32_t> two_hops;
    std::int32_t span = 0;  // Wv; 0: done
    std::int32_t rounded = 0;
    bool active = false;
    std::int32_t support = 0;
    std::int32_t support_max = 0;
    bool candidate = false;
    std::int32_t cover = 0;  // Cv: candidates around
    bool set_candidate = false;
    std::vector<std::int32_t> rivals;
    imsuite::color color = imsuite::color::white;
    bool clear = false;
  };
  struct random_of_node {
    x10_random random{0};
  };
  struct fields {
    x10::int_array* adj_graph;
    x10::dist_array<std::uint8_t>* dom_set;
    x10::dist_array<std::uint8_t>* change;
    x10::dist_array<random_of_node>* rs;

    [[nodiscard]] auto references() const { return std::tuple(adj_graph, dom_set, change, rs); }
  };
  using self_t = benchmark<dominating_set>;

  static tess::task<fields> make_fields(input const& in, builder& make) {
    co_return fields{make_matrix(in.nodes, in.adjacency), co_await make.array<std::uint8_t>(),
                     co_await make.array<std::uint8_t>(), co_await make.array<random_of_node>()};
  }

  // The suite asks the neighbours for theirs; the matrix in the closure has the same contents.
  static void initialize(self_t* self, std::int32_t i) {
    node& n = self->node(i);
    auto const closed = [&](std::int32_t k) {
      auto found = neighbors_in(*self->own.adj_graph, self->nodes, k);
      found.push_back(k);
      return found;
    };
    n.closed = n.white = n.two_hops = closed(i);
    for (std::int32_t const j : n.closed)
      for (std::int32_t const k : closed(j))
        if (std::ranges::find(n.two_hops, k) == n.two_hops.end()) n.two_hops.push_back(k);
    n.span = static_cast<std::int32_t>(n.closed.size());
    (*self->own.rs)(i).random = x10_random(i);
  }

  static auto color_of(self_t* s, std::int32_t j) {
    return get(s, j, [](node const& n) { return n.color; });
  }

  static tess::task<void> choose_active(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      if (n.span != 0) n.rounded = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n.span)));
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      if (n.span == 0) co_return;
      std::int32_t greatest = n.rounded;
      for (std::int32_t const j : n.two_hops) {
        if (j == i || co_await color_of(s, j) != color::white) continue;
        greatest = std::max(greatest, co_await get(s, j, [](node const& other) { return other.rounded; }));
      }
      n.active = greatest == n.rounded;
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      if (n.span == 0) co_return;
      n.support = n.active ? 1 : 0;
      for (std::int32_t const j : n.closed)
        if (j != i && co_await get(s, j, [](node const& other) { return other.active; })) ++n.support;
    });
  }

  static auto support_of(self_t* s, std::int32_t j) {
    return get(s, j, [](node const& n) { return n.support; });
  }

  static tess::task<void> choose_candidates(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      if (n.span == 0) co_return;
      n.support_max = 0;
      for (std::int32_t const j : n.white)
        // Requested again for the value, as in the suite.
        if (j != i && n.support_max < co_await support_of(s, j)) n.support_max = co_await support_of(s, j);
      n.support_max = std::max(n.support_max, n.support);
      n.candidate = n.active && (*s->own.rs)(i).random.next_double() <= 1.0 / n.support_max;
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      if (n.span == 0) co_return;
      n.cover = n.candidate ? 1 : 0;
      for (std::int32_t const j : n.white)
        if (j != i && co_await get(s, j, [](node const& other) { return other.candidate; })) ++n.cover;
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      if (n.span == 0) co_return;
      std::int32_t sum = n.cover;
      for (std::int32_t const j : n.white)
        if (j != i) sum += co_await get(s, j, [](node const& other) { return other.cover; });
      if (!n.candidate || sum > 3 * n.span) co_return;
      for (std::int32_t const j : n.closed)
        if (j != i) co_await send(s, j, i, [](node& to, std::int32_t rival) { to.rivals.push_back(rival); });
      n.set_candidate = true;
    });
  }

  static tess::task<void> join(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      bool const wins = n.set_candidate && n.span != 0 &&
                        std::ranges::none_of(n.rivals, [i](std::int32_t rival) { return rival > i; });
      n.set_candidate = false;
      n.rivals.clear();
      if (!wins) co_return;
      (*s->own.dom_set)(i) = 1;
      tess::place_atomic([&] {
        n.color = color::black;
        n.clear = true;
      });
      for (std::int32_t const j : n.closed) {
        if (j == i) continue;
        co_await send(s, j, true, [](node& to, bool clear) { to.clear = clear; });
        co_await send(s, j, color::grey, [](node& to, color c) {
          if (to.color == color::white) to.color = c;
        });
      }
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      if (n.span == 0 || !n.clear) return;
      n.span = 0;
      n.clear = n.active = false;
    });
  }

  // The white ones are counted first and then listed, as in the suite.
  static tess::task<void> recount(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      if (n.span == 0) co_return;
      std::int32_t span = 0;
      for (std::int32_t const j : n.closed)
        if (co_await color_of(s, j) == color::white) ++span;
      n.white.clear();
      for (std::int32_t const j : n.closed)
        if (co_await color_of(s, j) == color::white) n.white.push_back(j);
      n.span = span;
      if (span == 0) {
        // Not white any more, so that nodes that ask meanwhile get the same answer.
        tess::place_atomic([&] { n.color = color::black; });
        (*s->own.dom_set)(i) = 1;
      } else {
        (*s->own.change)(i) = 1;
      }
    });
  }

  static tess::task<bool> changed(self_t* self) {
    bool any = false;
    for (std::int32_t i = 0; i < self->nodes; ++i)
      any = co_await evaluate(self, i, [](self_t* s, std::int32_t k) { return (*s->own.change)(k); }) != 0 || any;
    co_return any;
  }

  static tess::task<void> run(self_t* self, input const&) {
    do {
      co_await remake(self, self->own.change);
      co_await choose_active(self);
      co_await choose_candidates(self);
      co_await join(self);
      co_await recount(self);
    } while (co_await changed(self));
  }

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<std::uint8_t> chosen;
    for (std::int32_t i = 0; i < self->nodes; ++i)
      chosen.push_back(co_await evaluate(self, i, [](self_t* s, std::int32_t k) { return (*s->own.dom_set)(k); }));
    out.number("members", std::ranges::count(chosen, 1));
    out.per_node("member", std::vector<std::int32_t>(chosen.begin(), chosen.end()));
    co_return wrong_dominating_set(in, chosen);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::dominating_set>(argc, argv);
}
