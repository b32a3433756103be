// byzantine: consensus among nodes of which n / 8 - 1 lie, with a coin that all toss with the same result (BY).
//
//   n / 8 + 1 rounds: the votes flood the graph, as many hops as its diameter; each node counts them, and a majority
//   above a threshold, which the coin chooses, becomes its vote. A traitor sends different votes to different nodes;
//   a node counts the one that the neighbour with the smallest number forwarded.
//
// Source   IMSuite (JPDC 2015), byzantine (which floods only as far as the radius); M. Rabin, "Randomized Byzantine
//          generals" (1983); R. Motwani, P. Raghavan, "Randomized Algorithms" (1995), 12.6.
#include <algorithm>
#include <tuple>

#include "imsuite/program.hpp"
#include "imsuite/x10_random.hpp"

namespace imsuite {
namespace {

struct byzantine {
  static constexpr kernel which = kernel::byzantine;

  struct message {
    std::int32_t sender = 0;
    std::int32_t source = 0;
    std::int32_t vote = 0;
    auto operator<=>(message const&) const = default;
  };
  struct node {
    std::int32_t vote = 0;
    std::vector<std::int32_t> lies;  // of a traitor, one for each neighbour
    std::vector<std::int32_t> neighbors;
    std::int32_t decision = 0;
    bool permanent = false;
    std::vector<std::int32_t> received;
    std::vector<std::uint8_t> heard;  // of whom
    std::vector<message> box;
    std::vector<message> next_box;
  };
  struct fields {
    x10::int_array* adj_graph;
    x10::int_array* traitor_id;
    x10::int_array* random_vote;
    x10::dist_array<std::uint8_t>* if_traitor;
    std::int32_t coin;

    [[nodiscard]] auto references() const { return std::tuple(adj_graph, traitor_id, random_vote, if_traitor); }
  };
  using self_t = benchmark<byzantine>;

  static tess::task<fields> make_fields(input const& in, builder& make) {
    std::vector<std::int32_t> const votes(in.votes.begin(), in.votes.end());
    co_return fields{make_matrix(in.nodes, in.adjacency), make_ints(in.traitors), make_ints(votes),
                     co_await make.array<std::uint8_t>(), x10_random(100).next_int(2)};
  }

  static void initialize(self_t* self, std::int32_t i) {
    node& n = self->node(i);
    n.neighbors = neighbors_in(*self->own.adj_graph, self->nodes, i);
    n.heard.assign(static_cast<std::size_t>(self->nodes), 0);
    n.heard[static_cast<std::size_t>(i)] = 1;
    n.vote = (*self->own.random_vote)(i);
    auto const& traitors = self->own.traitor_id->raw;
    (*self->own.if_traitor)(i) = std::ranges::find(traitors, i) != traitors.end();
    if ((*self->own.if_traitor)(i) == 0) return;
    x10_random random(i);
    for (std::size_t k = 0; k < n.neighbors.size(); ++k) n.lies.push_back(random.next_int(2));
  }

  static tess::task<void> tell(self_t* s, std::int32_t j, message m) {
    return send(s, j, m, [](node& to, message const& came) { to.next_box.push_back(came); });
  }

  // One hop.
  static tess::task<void> vote_all(self_t* self) {
    co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
      node const& n = s->node(i);
      for (message const& m : n.box)
        for (std::int32_t const j : n.neighbors) co_await tell(s, j, {i, m.source, m.vote});
      if (!n.box.empty()) co_return;
      for (std::size_t k = 0; k < n.neighbors.size(); ++k)
        co_await tell(s, n.neighbors[k], {i, i, (*s->own.if_traitor)(i) != 0 ? n.lies[k] : n.vote});
    });
    co_await sweep(self, [](self_t* s, std::int32_t i) {
      node& n = s->node(i);
      n.box.clear();
      std::ranges::sort(n.next_box);
      for (message const& m : n.next_box) {
        if (std::exchange(n.heard[static_cast<std::size_t>(m.source)], 1) != 0) continue;
        n.received.push_back(m.vote);
        n.box.push_back(m);
      }
      n.next_box.clear();
    });
  }

  static void decide(self_t* s, std::int32_t i) {
    node& n = s->node(i);
    std::int32_t const size = s->nodes;
    std::int32_t const low = 5 * size / 8 + 1;
    std::int32_t const high = 3 * size / 4 + 1;
    std::int32_t const sure = 7 * size / 8;
    auto const ones = static_cast<std::int32_t>(std::ranges::count(n.received, 1)) + n.vote;
    std::int32_t const zeros = static_cast<std::int32_t>(n.received.size()) + 1 - ones;
    std::int32_t const majority = ones > zeros ? 1 : 0;
    std::int32_t const tally = std::max(ones, zeros);
    n.vote = tally > (s->own.coin == 0 ? low : high) ? majority : 0;
    if (tally > sure && !n.permanent) {
      n.decision = majority;
      n.permanent = true;
    }
    n.received.clear();
    n.box.clear();
    std::ranges::fill(n.heard, std::uint8_t{0});
    n.heard[static_cast<std::size_t>(i)] = 1;
  }

  static std::int32_t diameter(input const& in) {
    std::int32_t most = 0;
    for (std::int32_t i = 0; i < in.nodes; ++i) most = std::max(most, std::ranges::max(distances_from(in, i)));
    return most;
  }

  static tess::task<void> run(self_t* self, input const& in) {
    std::int32_t const hops = diameter(in);
    for (std::int32_t round = 0; round <= self->nodes / 8; ++round) {
      for (std::int32_t hop = 0; hop < hops; ++hop) co_await vote_all(self);
      co_await sweep(self, [](self_t* s, std::int32_t i) { decide(s, i); });
    }
  }

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<consensus> found;
    std::vector<std::int32_t> decision;
    for (std::int32_t i = 0; i < self->nodes; ++i) {
      found.push_back(co_await get(self, i, [](node const& n) { return consensus{n.decision, n.permanent}; }));
      decision.push_back(found.back().decision);
    }
    std::int32_t loyal = 0;
    while (std::ranges::find(in.traitors, loyal) != in.traitors.end()) ++loyal;
    out.number("decision", decision[static_cast<std::size_t>(loyal)]);
    out.per_node("decisions", decision);
    co_return wrong_consensus(in, found);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::byzantine>(argc, argv);
}
