// leader_elect_lcr: leader election on a ring: identifiers travel one way, and only greater ones are forwarded (LCR).
//
//   n rounds of two sweeps, without early stop. Then all nodes are informed.
//
// Source   IMSuite (JPDC 2015), leader_elect_lcr; G. Le Lann (1977), E. Chang and R. Roberts (1979).
#include "imsuite/program.hpp"

namespace imsuite {
namespace {

struct leader_elect_lcr {
  static constexpr kernel which = kernel::leader_elect_lcr;

  struct node {
    std::int32_t id = 0;
    std::int32_t send = 0;
    std::int32_t received = 0;
    std::int32_t greatest = 0;
    bool status = false;  // the leader
    std::int32_t leader = -1;
  };
  struct fields {
    x10::int_array* id_set;

    [[nodiscard]] auto references() const { return std::tuple(id_set); }
  };
  using self_t = benchmark<leader_elect_lcr>;

  static tess::task<fields> make_fields(input const& in, builder&) { co_return fields{make_ints(in.ids)}; }

  static void initialize(self_t* self, std::int32_t i) {
    node& n = self->node(i);
    n.id = n.send = n.greatest = (*self->own.id_set)(i);
  }

  static tess::task<void> elect(self_t* self) {
    for (std::int32_t round = 0; round < self->nodes; ++round) {
      co_await sweep(self, [](self_t* s, std::int32_t i) {
        return imsuite::send(s, (i + 1) % s->nodes, s->node(i).send, [](node& n, std::int32_t id) { n.received = id; });
      });
      co_await sweep(self, [](self_t* s, std::int32_t i) {
        node& n = s->node(i);
        if (n.received > n.greatest)
          n.send = n.greatest = n.received;
        else if (n.received == n.id)
          n.status = true;
      });
    }
  }

  static tess::task<void> transmit(self_t* self) {
    std::int32_t leader = -1;
    for (std::int32_t i = 0; i < self->nodes; ++i)
      if (co_await get(self, i, [](node const& n) { return n.status; })) leader = i;
    // The suite's load hook is a separate statement here.
    for (std::int32_t i = 0; i < self->nodes; ++i)
      co_await at_node(self, i, [](self_t* s, std::int32_t k) { detail::add_load(s, k); });
    for (std::int32_t i = 0; i < self->nodes; ++i)
      co_await imsuite::send(self, i, leader, [](node& n, std::int32_t l) { n.leader = l; });
    co_await imsuite::send(self, leader, true, [](node& n, bool status) { n.status = status; });
  }

  static tess::task<void> run(self_t* self, input const&) {
    co_await elect(self);
    co_await transmit(self);
  }

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<std::int32_t> leader;
    for (std::int32_t i = 0; i < self->nodes; ++i)
      leader.push_back(co_await get(self, i, [](node const& n) { return n.leader; }));
    out.number("leader", leader.front());
    out.per_node("leaders", leader);
    co_return wrong_leader(in, leader);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::leader_elect_lcr>(argc, argv);
}
