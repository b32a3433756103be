// k_committee: the nodes join committees of at most K members (KC).
//
//   K rounds: each node without a committee finds the least active node within K - 1 hops; leaders invite it;
//   invitations travel K - 1 hops. Remaining invitations travel on in the next round, as in the suite. A node that was
//   never invited is a committee of its own.
//
// Source   IMSuite (JPDC 2015), kcommittee.
#include <algorithm>
#include <tuple>

#include "imsuite/program.hpp"

namespace imsuite {
namespace {

struct k_committee {
  static constexpr kernel which = kernel::k_committee;

  struct active {
    std::int32_t from = -1;
    std::int32_t value = infinity;
  };
  struct invitation {
    std::int32_t from = -1;
    std::int32_t to = -1;
    std::int32_t value = infinity;  // of the leader that invites
    auto operator<=>(invitation const&) const = default;
  };
  struct node {
    std::int32_t value = 0;
    std::int32_t leader = 0;
    std::int32_t committee = -1;
    active least;
    invitation current;
    std::vector<std::int32_t> neighbors;
    std::vector<active> box;
    std::vector<invitation> invitations;
    std::vector<invitation> next_invitations;
  };
  struct fields {
    x10::int_array* adj_graph;  // null once the nodes know their neighbours
    x10::int_array* min_value;
    std::int32_t k;

    [[nodiscard]] auto references() const { return std::tuple(adj_graph, min_value); }
  };
  using self_t = benchmark<k_committee>;

  static tess::task<fields> make_fields(input const& in, builder&) {
    co_return fields{make_matrix(in.nodes, in.adjacency), make_ints(in.ids), in.committee};
  }

  static void initialize(self_t* self, std::int32_t i) {
    node& n = self->node(i);
    n.value = (*self->own.min_value)(i);
    n.leader = i;
    n.neighbors = neighbors_in(*self->own.adj_graph, self->nodes, i);
  }

  static tess::task<void> poll(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      n.least = n.committee == -1 ? active{i, n.value} : active{};
    });
    for (std::int32_t hop = 1; hop < self->own.k; ++hop) {
      co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
        node const& n = s->node(i);
        for (std::int32_t const j : n.neighbors)
          co_await send(s, j, n.least, [](node& to, active const& a) { to.box.push_back(a); });
      });
      co_await sweep(self, [](self_t* s, std::int32_t i) {
        node& n = s->node(i);
        for (active const& a : n.box)
          if (a.value < n.least.value) n.least = a;
        n.box.clear();
      });
    }
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      std::int32_t const value = co_await get(s, n.leader, [](node const& l) { return l.value; });
      if (n.least.value < value) n.leader = n.least.from;
    });
  }

  static tess::task<void> pass_invitations(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node const& n = s->node(i);
      for (invitation const& v : n.invitations)
        for (std::int32_t const j : n.neighbors)
          co_await send(s, j, v, [](node& to, invitation const& came) { to.next_invitations.push_back(came); });
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      n.invitations = std::exchange(n.next_invitations, {});
      std::ranges::sort(n.invitations);
      auto const doubled = std::ranges::unique(n.invitations);
      n.invitations.erase(doubled.begin(), doubled.end());
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      if (n.invitations.empty()) return;
      n.current = {};
      for (invitation const& v : n.invitations)
        if (v.to == i && v.value < n.current.value) n.current = v;
      std::erase_if(n.invitations, [i](invitation const& v) { return v.to == i; });
    });
  }

  static tess::task<void> select(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      n.current = {};
      if (n.leader == i) n.invitations.push_back({i, n.least.from, n.value});
    });
    for (std::int32_t hop = 1; hop < self->own.k; ++hop) co_await pass_invitations(self);
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      if (n.current.to == i) n.committee = n.current.from;
    });
  }

  static tess::task<void> run(self_t* self, input const&) {
    self->own.adj_graph = nullptr;
    for (std::int32_t round = 0; round < self->own.k; ++round) {
      co_await poll(self);
      co_await select(self);
      co_await sweep(self, [](self_t* s, std::int32_t i) {
        node& n = s->node(i);
        n.box.clear();
        n.next_invitations.clear();
        n.least = {};
      });
    }
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      if (n.committee == -1) n.committee = i;
    });
  }

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<std::int32_t> committee;
    for (std::int32_t i = 0; i < self->nodes; ++i)
      committee.push_back(co_await get(self, i, [](node const& n) { return n.committee; }));
    std::vector<std::int32_t> names = committee;
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    out.number("committees", static_cast<std::int64_t>(names.size()));
    out.per_node("committee", committee);
    co_return wrong_committees(in, committee);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::k_committee>(argc, argv);
}
