// leader_elect_hs: leader election on a ring by messages of doubling reach in both directions (HS).
//
//   In phase p the candidates send messages 2^p hops in both directions; a message that meets a greater identifier
//   ends,
//   others return. A node that gets both back stays a candidate. ceil(log2 n) phases, which is correct for all n (the
//   suite's floor is correct only for powers of two).
//
// Source   IMSuite (JPDC 2015), leader_elect_hs; D. Hirschberg, J. Sinclair (CACM 23(11), 1980).
#include <bit>

#include "imsuite/program.hpp"

namespace imsuite {
namespace {

struct leader_elect_hs {
  static constexpr kernel which = kernel::leader_elect_hs;

  struct message {
    std::int32_t id = 0;
    std::int32_t hops = 0;
    bool fresh = false;  // came in this step; others are deleted
    bool inbound = false;
    bool here = false;  // or there is none
  };
  struct node {
    std::int32_t id = 0;
    bool candidate = true;
    std::int32_t phase = 0;
    message to_plus, to_minus;
    message from_plus, from_minus;
    std::int32_t leader = -1;
  };
  struct fields {
    x10::int_array* id_set;
    x10::dist_array<std::uint8_t>* send_pl;  // to_plus is to be sent
    x10::dist_array<std::uint8_t>* send_min;

    [[nodiscard]] auto references() const { return std::tuple(id_set, send_pl, send_min); }
  };
  using self_t = benchmark<leader_elect_hs>;

  static tess::task<fields> make_fields(input const& in, builder& make) {
    co_return fields{make_ints(in.ids), co_await make.array<std::uint8_t>(), co_await make.array<std::uint8_t>()};
  }

  static void initialize(self_t* self, std::int32_t i) {
    node& n = self->node(i);
    n.id = (*self->own.id_set)(i);
    n.to_plus = n.to_minus = {n.id, 1, true, false, true};
  }

  static std::int32_t plus(self_t* self, std::int32_t i) { return (i + 1) % self->nodes; }
  static std::int32_t minus(self_t* self, std::int32_t i) { return (i + self->nodes - 1) % self->nodes; }

  static tess::task<void> send_plus(self_t* s, std::int32_t i) {
    return imsuite::send(s, plus(s, i), s->node(i).to_plus, [](node& n, message const& m) { n.from_minus = m; });
  }
  static tess::task<void> send_minus(self_t* s, std::int32_t i) {
    return imsuite::send(s, minus(s, i), s->node(i).to_minus, [](node& n, message const& m) { n.from_plus = m; });
  }

  // A message that arrived from one side: it is forwarded in `onward`, or returned in `back`, or ends.
  static void pass(node const& n, message const& came, message& onward, std::uint8_t& send_on, message& back,
                   std::uint8_t& send_back) {
    if (!came.here || came.id <= n.id) return;
    if (came.inbound || came.hops > 1) {
      onward = came;
      onward.fresh = true;
      if (!came.inbound) --onward.hops;
      send_on = 1;
    } else {
      back = {came.id, 1, true, true, true};
      send_back = 1;
    }
  }

  static bool own_return(node const& n, message const& m) { return m.here && m.inbound && m.id == n.id && m.hops == 1; }

  static void process(self_t* s, std::int32_t i) {
    node& n = s->node(i);
    std::uint8_t& send_pl = (*s->own.send_pl)(i);
    std::uint8_t& send_min = (*s->own.send_min)(i);
    send_pl = send_min = 0;
    pass(n, n.from_plus, n.to_minus, send_min, n.to_plus, send_pl);
    pass(n, n.from_minus, n.to_plus, send_pl, n.to_minus, send_min);
    n.candidate = own_return(n, n.from_plus) && own_return(n, n.from_minus);
    if (n.candidate) {
      ++n.phase;
      n.to_plus = n.to_minus = {n.id, 1 << n.phase, true, false, true};
    }
  }

  static tess::task<void> one_step(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) { process(s, i); });
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      if ((*s->own.send_pl)(i) != 0) co_await send_plus(s, i);
      if ((*s->own.send_min)(i) != 0) co_await send_minus(s, i);
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      for (message* const m : {&n.from_plus, &n.from_minus})
        if (m->here) m->here = std::exchange(m->fresh, false);
    });
  }

  static tess::task<void> one_phase(self_t* self, std::int32_t phase) {
    co_await remake(self, self->own.send_pl);
    co_await remake(self, self->own.send_min);
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node& n = s->node(i);
      if (!n.candidate) co_return;
      n.to_plus.fresh = n.to_minus.fresh = false;  // it is looked at in the next sweep, and then deleted
      co_await send_plus(s, i);
      co_await send_minus(s, i);
    });
    for (std::int32_t step = 0; step < 2 << phase; ++step) co_await one_step(self);
  }

  // Node i has learnt the leader: it informs the next one.
  static tess::task<void> lead(self_t* s, std::int32_t i, std::int32_t leader) {
    return imsuite::send(s, i, leader, [](node& n, std::int32_t l) { n.leader = l; });
  }

  // The leader's announcement travels half way round, on both sides.
  static tess::task<void> tell_all(self_t* s, std::int32_t i) {
    s->node(i).leader = i;
    co_await lead(s, plus(s, i), i);
    co_await lead(s, minus(s, i), i);
    std::int32_t down = minus(s, i);
    std::int32_t up = plus(s, i);
    for (std::int32_t k = 0; k < s->nodes / 2; ++k) {
      co_await at_node(s, down, [](self_t* t, std::int32_t j) { return lead(t, minus(t, j), t->node(j).leader); });
      co_await at_node(s, up, [](self_t* t, std::int32_t j) { return lead(t, plus(t, j), t->node(j).leader); });
      down = minus(s, down);
      up = plus(s, up);
    }
  }

  static tess::task<void> run(self_t* self, input const&) {
    auto const phases = static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(self->nodes - 1)));
    for (std::int32_t phase = 0; phase < phases; ++phase) co_await one_phase(self, phase);
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      if (s->node(i).candidate) co_await tell_all(s, i);
    });
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
  return imsuite::program<imsuite::leader_elect_hs>(argc, argv);
}
