// fast_path_test: packets arrive by the fast path in the same cycles in which their simulated flits would.
//
// Method: two networks get the same random packets, one of them moving every flit by itself. The other is stepped only
// when it asks for it, as in a machine. Compared are every packet's arrival, in order, with its times and hops, and on
// the way the flits of every link and the packets that wait. Some receivers send on from within an arrival.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "machine/network/flit_network.hpp"

namespace {

using tess::machine::flit_network;
using tess::machine::network_parameters;
using tess::machine::packet;
using tess::machine::topology_kind;

using arrival = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint64_t, std::uint32_t>;

struct load {
  double rate;              ///< Packets per node and cycle.
  std::uint32_t flits_max;  ///< Each has 1 to so many.
  std::uint32_t targets;    ///< Of the first so many nodes; the fewer, the hotter.
  std::uint64_t pause = 0;  ///< Cycles of silence after every 64.
};

/// One network and what came of it.
class side {
 public:
  side(network_parameters const& made_of, bool express)
      : network(made_of, [this](packet const& whole, std::uint64_t cycle) { arrived(whole, cycle); }, express) {}

  flit_network network;
  std::vector<arrival> arrivals;

 private:
  void arrived(packet const& whole, std::uint64_t cycle) {
    arrivals.emplace_back(whole.cookie, cycle, whole.target, whole.injected, whole.hops);
    // A third of them is answered at once, in another virtual network if there is one.
    if (whole.cookie % 3 != 0 || whole.cookie > answer) return;
    packet back{.source = whole.target,
                .target = whole.source,
                .flits = 1 + static_cast<std::uint32_t>(whole.cookie % 7),
                .network = static_cast<std::uint8_t>(network.parameters().virtual_networks.size() - 1),
                .cookie = whole.cookie + answer,
                .created = cycle};
    network.send(back);
  }
  static constexpr std::uint64_t answer = 1'000'000'000;
};

/// How many of the cycles the second network was stepped in.
double compare(network_parameters const& made, load const& offered, std::uint64_t seed, std::uint64_t cycles) {
  side plain(made, false);
  side express(made, true);
  std::mt19937_64 draw(seed);
  std::bernoulli_distribution creates(offered.rate);
  std::uint64_t cookie = 0;
  std::uint64_t steps = 0;
  std::uint64_t next = ~std::uint64_t{0};  // of the second network
  std::uint64_t cycle = 0;
  for (; cycle < cycles || plain.network.busy() || plain.network.arrivals_pending(); ++cycle) {
    bool const silent = offered.pause != 0 && cycle % (64 + offered.pause) >= 64;
    for (std::uint32_t node = 0; node < made.nodes() && cycle < cycles && !silent; ++node) {
      if (!creates(draw)) continue;
      packet const sent{.source = node,
                        .target = static_cast<std::uint32_t>(draw() % offered.targets),
                        .flits = static_cast<std::uint32_t>(1 + draw() % offered.flits_max),
                        .network = static_cast<std::uint8_t>(draw() % made.virtual_networks.size()),
                        .cookie = ++cookie,
                        .created = cycle};
      plain.network.send(sent);
      next = std::min(next, express.network.send(sent));
    }
    if (draw() % 16 == 0) {
      auto const link = draw();
      auto const router = static_cast<std::uint32_t>(link % plain.network.layout().routers());
      auto const port = static_cast<std::uint32_t>((link >> 32U) % plain.network.layout().ports());
      EXPECT_EQ(express.network.link_flits(router, port, cycle), plain.network.link_flits(router, port, cycle));
      auto const node = static_cast<std::uint32_t>(link % made.nodes());
      EXPECT_EQ(express.network.waiting(node, 0, cycle), plain.network.waiting(node, 0, cycle));
      EXPECT_EQ(express.network.packets_inside(), plain.network.packets_inside());
    }
    plain.network.step(cycle);
    if (next == cycle) {
      ++steps;
      express.network.step(cycle);
      bool const more = express.network.busy() || express.network.arrivals_pending();
      next = more ? express.network.next_cycle() : ~std::uint64_t{0};
    }
    if (express.arrivals.size() != plain.arrivals.size()) break;
  }
  EXPECT_GT(plain.arrivals.size(), 0U);
  EXPECT_EQ(express.arrivals.size(), plain.arrivals.size()) << "in cycle " << cycle;
  for (std::size_t i = 0; i < std::min(plain.arrivals.size(), express.arrivals.size()); ++i) {
    if (express.arrivals[i] == plain.arrivals[i]) continue;
    auto const& [mine, my_cycle, my_target, my_start, my_hops] = express.arrivals[i];
    auto const& [its, its_cycle, its_target, its_start, its_hops] = plain.arrivals[i];
    ADD_FAILURE() << "arrival " << i << ": packet " << mine << " at " << my_cycle << " from cycle " << my_start
                  << ", not packet " << its << " at " << its_cycle << " from cycle " << its_start;
    break;
  }
  for (std::uint32_t r = 0; r < plain.network.layout().routers(); ++r) {
    for (std::uint32_t p = 0; p < plain.network.layout().ports(); ++p)
      EXPECT_EQ(express.network.link_flits(r, p, cycle), plain.network.link_flits(r, p, cycle));
  }
  return static_cast<double>(steps) / static_cast<double>(cycle);
}

/// Topology, sort of router, channels of the first virtual network, buffers.
using kind = std::tuple<topology_kind, int, std::uint32_t, std::uint32_t>;

network_parameters network_of(kind const& wanted) {
  auto const& [topology, stages, channels, depth] = wanted;
  network_parameters made;
  made.topology = topology;
  made.width = 4;
  made.height = topology == topology_kind::crossbar ? 2 : 3;
  made.buffer_flits = depth;
  made.routing_cycles = stages == 1 ? 0 : 1;
  made.speculative = stages == 1;
  if (stages == 2) {
    made.link_cycles = 3;
    made.traversal_cycles = 2;
    made.credit_cycles = 2;
  }
  bool const even = topology == topology_kind::torus;
  made.virtual_networks = {{even ? channels * 2 : channels, 0}, {2, 1}, {even ? 2U : 1U, 2}};
  if (stages == 1) made.virtual_networks.resize(1);
  return made;
}

class express_packets : public testing::TestWithParam<kind> {
 protected:
  network_parameters made = network_of(GetParam());
};

TEST_P(express_packets, arrive_as_their_flits_would_at_any_load) {
  std::uint64_t seed = 0;
  for (double const rate : {0.0002, 0.001, 0.004, 0.01, 0.03, 0.1, 0.5}) {
    std::uint64_t const cycles = rate < 0.01 ? 4'000 : 300;
    for (std::uint32_t const flits : {1U, 10U, 19U}) {
      SCOPED_TRACE(testing::Message() << "rate " << rate << ", " << flits << " flits, seed " << ++seed);
      compare(made, {rate, flits, made.nodes()}, seed, cycles);
      compare(made, {rate, flits, 2}, seed, cycles / 2);
      if (HasFailure()) return;
    }
  }
}

TEST_P(express_packets, arrive_as_their_flits_would_in_bursts) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    compare(made, {0.02, 12, made.nodes(), 200}, seed, 5000);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(some, express_packets,
                         testing::Values(kind{topology_kind::mesh, 0, 2, 4}, kind{topology_kind::mesh, 0, 1, 9},
                                         kind{topology_kind::mesh, 1, 4, 4}, kind{topology_kind::mesh, 2, 2, 1},
                                         kind{topology_kind::torus, 0, 1, 4}, kind{topology_kind::torus, 2, 2, 9},
                                         kind{topology_kind::crossbar, 0, 2, 1},
                                         kind{topology_kind::crossbar, 1, 1, 4}));

TEST(express_packets_of_any_kind, slow_arrive_as_their_flits_would) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "set TESS_SLOW=1, as machine_network_slow does";
  std::uint64_t seed = 1000;
  for (topology_kind const topology : {topology_kind::mesh, topology_kind::torus, topology_kind::crossbar}) {
    for (int const stages : {0, 1, 2}) {
      for (auto const [channels, depth] : {std::pair{1U, 1U}, {1U, 4U}, {2U, 1U}, {2U, 4U}, {2U, 9U}, {4U, 4U}}) {
        network_parameters const made = network_of({topology, stages, channels, depth});
        for (double const rate : {0.0002, 0.001, 0.004, 0.01, 0.03, 0.1, 0.5}) {
          std::uint32_t const flits = 1 + ++seed % 19;
          SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(topology) << ", " << stages << ", " << channels
                                          << " channels of " << depth << ", rate " << rate << ", seed " << seed);
          compare(made, {rate, flits, made.nodes()}, seed, rate < 0.01 ? 60'000 : 6000);
          compare(made, {rate, flits, 2}, seed, rate < 0.01 ? 30'000 : 3000);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(an_express_packet, needs_one_step_when_it_is_alone) {
  network_parameters made;
  made.width = made.height = 4;
  made.virtual_networks = {{2}, {2}, {1}};
  made.buffer_flits = 4;
  EXPECT_LT(compare(made, {0.00002, 10, 16}, 1, 200'000), 0.001);
}

TEST(express_packets_of_one_node, follow_each_other_when_the_first_link_is_left_behind) {
  network_parameters made;
  made.width = 4;
  made.buffer_flits = 4;
  std::vector<std::uint64_t> cycles;
  flit_network network(made, [&](packet const&, std::uint64_t cycle) { cycles.push_back(cycle); });
  for (std::uint64_t created : {0U, 12U, 24U}) {
    std::uint64_t const step = network.send({.source = 0, .target = 3, .created = created});
    EXPECT_EQ(step, created + made.zero_load_cycles(3, 1)) << "it does not fly";
  }
  for (std::uint64_t cycle = 1; cycle < 60; ++cycle) network.step(cycle);
  EXPECT_EQ(cycles.size(), 3U);
}

}  // namespace
