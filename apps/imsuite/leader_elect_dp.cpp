// leader_elect_dp: leader election on a general graph in time proportional to its diameter (DP).
//
//   In every pulse each node sends the greatest identifier it knows and the depth of the tree that spread it; a node
//   whose depth is unchanged for two pulses is the leader, and its announcement floods the graph depth first.
//
// Source   IMSuite (JPDC 2015), leader_elect_dp; D. Peleg, "Time-optimal leader election in general networks" (1990).
#include <algorithm>

#include "imsuite/program.hpp"

namespace imsuite {
namespace {

struct leader_elect_dp {
  static constexpr kernel which = kernel::leader_elect_dp;

  struct message {
    std::int32_t x;
    std::int32_t d;  // -1: the election is over
  };
  struct node {
    std::int32_t x = 0;  // the greatest identifier so far
    std::int32_t d = 0;
    std::int32_t b = 1;  // may still lead
    std::int32_t c = 0;  // pulses without news
    bool complete = false;
    std::int32_t leader = -1;
    std::vector<std::int32_t> neighbors;
    std::vector<message> box;
  };
  struct fields {
    x10::int_array* adj_graph;
    x10::int_array* id_set;
    x10::dist_array<std::int32_t>* maxd;
    x10::dist_array<std::uint8_t>* cflag;  // completes in this pulse
    std::int32_t pulse;

    [[nodiscard]] auto references() const { return std::tuple(adj_graph, id_set, maxd, cflag); }
  };
  using self_t = benchmark<leader_elect_dp>;

  static tess::task<fields> make_fields(input const& in, builder& make) {
    co_return fields{make_matrix(in.nodes, in.adjacency), make_ints(in.ids), co_await make.array<std::int32_t>(),
                     co_await make.array<std::uint8_t>(), 0};
  }

  static void initialize(self_t* self, std::int32_t i) {
    node& n = self->node(i);
    n.x = (*self->own.id_set)(i);
    n.neighbors = neighbors_in(*self->own.adj_graph, self->nodes, i);
  }

  static tess::task<void> tell_neighbors(self_t* s, std::int32_t i, message m) {
    for (std::int32_t const j : s->node(i).neighbors)
      co_await send(s, j, m, [](node& n, message const& came) { n.box.push_back(came); });
  }

  // True if this node now knows the outcome.
  static bool consider(node& n, std::int32_t pulse) {
    if (std::ranges::any_of(n.box, [](message const& m) { return m.d == -1; })) return true;
    std::int32_t y = INT32_MIN;
    for (message const& m : n.box) y = std::max(y, m.x);
    std::erase_if(n.box, [y](message const& m) { return m.x < y; });
    if (y > n.x) {
      n.x = y;
      n.b = 0;
      n.d = pulse;
    }
    if (n.b == 0) return false;
    if (y < n.x) {
      n.c = 1;
      return false;
    }
    std::int32_t z = n.d;
    for (message const& m : n.box) z = std::max(z, m.d);
    if (z > n.d) {
      n.d = z;
      n.c = 0;
      return false;
    }
    return ++n.c >= 2;
  }

  static tess::task<void> one_pulse(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node const& n = s->node(i);
      std::int32_t most = n.d;
      for (message const& m : n.box) most = std::max(most, m.d);
      (*s->own.maxd)(i) = most;
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node const& n = s->node(i);
      if (!n.complete) co_await tell_neighbors(s, i, {n.x, (*s->own.maxd)(i)});
    });
    co_await sweep(self, self->own.pulse, [](self_t* s, std::int32_t i, std::int32_t pulse) {
      node& n = s->node(i);
      if (!n.complete && consider(n, pulse)) (*s->own.cflag)(i) = 1;
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      if (n.complete || (*s->own.cflag)(i) == 0) co_return;
      n.complete = true;
      co_await tell_neighbors(s, i, {n.x, -1});
    });
  }

  static tess::task<bool> all_complete(self_t* self) {
    bool all = true;
    for (std::int32_t i = 0; i < self->nodes; ++i)
      all = co_await get(self, i, [](node const& n) { return n.complete; }) && all;
    co_return all;
  }

  // Depth first, each step inside the one before.
  static tess::task<void> transmit_leader(self_t* self, std::int32_t to, std::int32_t leader) {
    return at_node(self, to, leader, [](self_t* s, std::int32_t i, std::int32_t l) -> tess::task<void> {
      node& n = s->node(i);
      if (n.leader != -1) co_return;
      n.leader = l;
      for (std::int32_t const j : n.neighbors) co_await transmit_leader(s, j, l);
    });
  }

  static tess::task<void> run(self_t* self, input const&) {
    do {
      co_await remake(self, self->own.cflag);
      ++self->own.pulse;
      co_await one_pulse(self);
    } while (!co_await all_complete(self));
    for (std::int32_t i = 0; i < self->nodes; ++i)
      co_await at_node(self, i, [](self_t* s, std::int32_t k) -> tess::task<void> {
        if (s->node(k).c >= 2) co_await transmit_leader(s, k, k);
      });
  }

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<std::int32_t> leader;
    for (std::int32_t i = 0; i < self->nodes; ++i)
      leader.push_back(co_await get(self, i, [](node const& n) { return n.leader; }));
    out.number("leader", leader.front());
    out.number("pulses", self->own.pulse);
    out.per_node("leaders", leader);
    co_return wrong_leader(in, leader);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::leader_elect_dp>(argc, argv);
}
