// fast_path_test: packets arrive by the fast path in the same cycles as if every flit were simulated.
//
// Method: two networks get the same random packets; one of them simulates every flit. The other is stepped only in the
// cycles that it requests, as in a machine. The test compares the arrivals of all packets with their order, times and
// hops and, at random times, the flit counts of links and the numbers of waiting packets. Some receivers send while
// they receive.
#include <gtest/gtest.h>

#include <algorithm>
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
using tess::machine::ring_classes;
using tess::machine::topology_kind;

using arrival = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint64_t, std::uint32_t>;

struct load {
  double rate;              ///< Packets per node and cycle.
  std::uint32_t flits_max;  ///< A packet has 1 to so many.
  std::uint32_t targets;    ///< Only so many nodes are targets; the fewer, the more contention.
  std::uint64_t pause = 0;  ///< Cycles without new packets after every 64 cycles.
};

/// A network and its arrivals.
class recorded_network {
 public:
  recorded_network(network_parameters const& parameters, bool with_fast_path)
      : network(
            parameters, [this](packet const& whole, std::uint64_t cycle) { arrived(whole, cycle); }, with_fast_path) {}

  flit_network network;
  std::vector<arrival> arrivals;

 private:
  void arrived(packet const& whole, std::uint64_t cycle) {
    arrivals.emplace_back(whole.cookie, cycle, whole.target, whole.injected, whole.hops);
    // One third is answered at once, in another virtual network if there is one.
    if (whole.cookie % 3 != 0 || whole.cookie > reply) return;
    packet back{.source = whole.target,
                .target = whole.source,
                .flits = 1 + static_cast<std::uint32_t>(whole.cookie % 7),
                .network = static_cast<std::uint8_t>(network.parameters().virtual_networks.size() - 1),
                .cookie = whole.cookie + reply,
                .created = cycle};
    network.send(back);
  }
  static constexpr std::uint64_t reply = 1'000'000'000;
};

/// Returns the fraction of all cycles in which the network with a fast path was stepped.
double compare(network_parameters const& parameters, load const& offered, std::uint64_t seed, std::uint64_t cycles) {
  recorded_network simulated(parameters, false);
  recorded_network fast(parameters, true);
  std::mt19937_64 draw(seed);
  std::bernoulli_distribution creates(offered.rate);
  std::uint64_t cookie = 0;
  std::uint64_t steps = 0;
  std::uint64_t next = ~std::uint64_t{0};  // of the network with a fast path
  std::uint64_t cycle = 0;
  for (; cycle < cycles || simulated.network.busy() || simulated.network.arrivals_pending(); ++cycle) {
    bool const silent = offered.pause != 0 && cycle % (64 + offered.pause) >= 64;
    for (std::uint32_t node = 0; node < parameters.nodes() && cycle < cycles && !silent; ++node) {
      if (!creates(draw)) continue;
      packet const sent{.source = node,
                        .target = static_cast<std::uint32_t>(draw() % offered.targets),
                        .flits = static_cast<std::uint32_t>(1 + draw() % offered.flits_max),
                        .network = static_cast<std::uint8_t>(draw() % parameters.virtual_networks.size()),
                        .cookie = ++cookie,
                        .created = cycle};
      simulated.network.send(sent);
      next = std::min(next, fast.network.send(sent));
    }
    if (draw() % 16 == 0) {
      auto const link = draw();
      auto const router = static_cast<std::uint32_t>(link % simulated.network.layout().routers());
      auto const port = static_cast<std::uint32_t>((link >> 32U) % simulated.network.layout().ports());
      EXPECT_EQ(fast.network.link_flits(router, port, cycle), simulated.network.link_flits(router, port, cycle));
      auto const node = static_cast<std::uint32_t>(link % parameters.nodes());
      EXPECT_EQ(fast.network.waiting(node, 0, cycle), simulated.network.waiting(node, 0, cycle));
      EXPECT_EQ(fast.network.packets_inside(), simulated.network.packets_inside());
    }
    simulated.network.step(cycle);
    if (next == cycle) {
      ++steps;
      fast.network.step(cycle);
      bool const more = fast.network.busy() || fast.network.arrivals_pending();
      next = more ? fast.network.next_cycle() : ~std::uint64_t{0};
    }
    if (fast.arrivals.size() != simulated.arrivals.size()) break;
  }
  EXPECT_GT(simulated.arrivals.size(), 0U);
  EXPECT_EQ(fast.arrivals.size(), simulated.arrivals.size()) << "in cycle " << cycle;
  for (std::size_t i = 0; i < std::min(simulated.arrivals.size(), fast.arrivals.size()); ++i) {
    if (fast.arrivals[i] == simulated.arrivals[i]) continue;
    auto const& [id, arrival_cycle, target, start, hops] = fast.arrivals[i];
    auto const& [expected_id, expected_cycle, expected_target, expected_start, expected_hops] = simulated.arrivals[i];
    ADD_FAILURE() << "arrival " << i << ": packet " << id << " in cycle " << arrival_cycle << ", sent in " << start
                  << "; expected packet " << expected_id << " in cycle " << expected_cycle << ", sent in "
                  << expected_start;
    break;
  }
  for (std::uint32_t r = 0; r < simulated.network.layout().routers(); ++r) {
    for (std::uint32_t p = 0; p < simulated.network.layout().ports(); ++p)
      EXPECT_EQ(fast.network.link_flits(r, p, cycle), simulated.network.link_flits(r, p, cycle));
  }
  return static_cast<double>(steps) / static_cast<double>(cycle);
}

/// Topology, kind of router, channels of the first virtual network, depth of buffers, classes on rings.
using kind = std::tuple<topology_kind, int, std::uint32_t, std::uint32_t, ring_classes>;
constexpr ring_classes datelines = ring_classes::dateline;

network_parameters network_of(kind const& wanted) {
  auto const& [topology, stages, channels, depth, classes] = wanted;
  network_parameters parameters;
  parameters.topology = topology;
  parameters.width = 4;
  parameters.height = topology == topology_kind::crossbar ? 2 : 3;
  parameters.buffer_flits = depth;
  parameters.classes = classes;
  parameters.routing_cycles = stages == 1 ? 0 : 1;
  parameters.speculative = stages == 1;
  if (stages == 2) {
    parameters.link_cycles = 3;
    parameters.traversal_cycles = 2;
    parameters.credit_cycles = 2;
  }
  bool const even = topology == topology_kind::torus;
  if (even && stages == 2) parameters.ring_link_cycles = 5;
  parameters.virtual_networks = {{even ? channels * 2 : channels, 0}, {2, 1}, {even ? 2U : 1U, 2}};
  if (stages == 1) parameters.virtual_networks.resize(1);
  return parameters;
}

class fast_path_on_every_network : public testing::TestWithParam<kind> {
 protected:
  network_parameters parameters = network_of(GetParam());
};

TEST_P(fast_path_on_every_network, delivers_in_the_cycles_of_the_simulated_flits_at_any_load) {
  std::uint64_t seed = 0;
  for (double const rate : {0.0002, 0.001, 0.004, 0.01, 0.03, 0.1, 0.5}) {
    std::uint64_t const cycles = rate < 0.01 ? 4'000 : 300;
    for (std::uint32_t const flits : {1U, 10U, 19U}) {
      SCOPED_TRACE(testing::Message() << "rate " << rate << ", " << flits << " flits, seed " << ++seed);
      compare(parameters, {rate, flits, parameters.nodes()}, seed, cycles);
      compare(parameters, {rate, flits, 2}, seed, cycles / 2);
      if (HasFailure()) return;
    }
  }
}

TEST_P(fast_path_on_every_network, delivers_in_the_cycles_of_the_simulated_flits_in_bursts) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    compare(parameters, {0.02, 12, parameters.nodes(), 200}, seed, 5000);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    some, fast_path_on_every_network,
    testing::Values(kind{topology_kind::mesh, 0, 2, 4, datelines}, kind{topology_kind::mesh, 0, 1, 9, datelines},
                    kind{topology_kind::mesh, 1, 4, 4, datelines}, kind{topology_kind::mesh, 2, 2, 1, datelines},
                    kind{topology_kind::torus, 0, 1, 4, datelines}, kind{topology_kind::torus, 2, 2, 9, datelines},
                    kind{topology_kind::torus, 0, 1, 4, ring_classes::route},
                    kind{topology_kind::torus, 0, 1, 4, ring_classes::balanced},
                    kind{topology_kind::torus, 2, 2, 9, ring_classes::balanced},
                    kind{topology_kind::crossbar, 0, 2, 1, datelines},
                    kind{topology_kind::crossbar, 1, 1, 4, datelines}));

TEST(fast_path, slow_delivers_in_the_cycles_of_the_simulated_flits_on_all_networks) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "set TESS_SLOW=1, as machine_network_slow does";
  std::uint64_t seed = 1000;
  for (topology_kind const topology : {topology_kind::mesh, topology_kind::torus, topology_kind::crossbar}) {
    for (int const stages : {0, 1, 2}) {
      for (auto const [channels, depth] : {std::pair{1U, 1U}, {1U, 4U}, {2U, 1U}, {2U, 4U}, {2U, 9U}, {4U, 4U}}) {
        network_parameters const parameters = network_of({topology, stages, channels, depth, datelines});
        for (double const rate : {0.0002, 0.001, 0.004, 0.01, 0.03, 0.1, 0.5}) {
          std::uint32_t const flits = 1 + ++seed % 19;
          SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(topology) << ", " << stages << ", " << channels
                                          << " channels of " << depth << ", rate " << rate << ", seed " << seed);
          compare(parameters, {rate, flits, parameters.nodes()}, seed, rate < 0.01 ? 60'000 : 6000);
          compare(parameters, {rate, flits, 2}, seed, rate < 0.01 ? 30'000 : 3000);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(fast_path, needs_one_step_for_an_uncontended_packet) {
  network_parameters parameters;
  parameters.width = parameters.height = 4;
  parameters.virtual_networks = {{2}, {2}, {1}};
  parameters.buffer_flits = 4;
  EXPECT_LT(compare(parameters, {0.00002, 10, 16}, 1, 200'000), 0.001);
}

TEST(fast_path, takes_the_next_packet_of_a_node_when_the_first_link_is_free_again) {
  network_parameters parameters;
  parameters.width = 4;
  parameters.buffer_flits = 4;
  std::vector<std::uint64_t> cycles;
  flit_network network(parameters, [&](packet const&, std::uint64_t cycle) { cycles.push_back(cycle); });
  for (std::uint64_t created : {0U, 12U, 24U}) {
    std::uint64_t const step = network.send({.source = 0, .target = 3, .created = created});
    EXPECT_EQ(step, created + parameters.zero_load_cycles(3, 1)) << "it did not take the fast path";
  }
  for (std::uint64_t cycle = 1; cycle < 60; ++cycle) network.step(cycle);
  EXPECT_EQ(cycles.size(), 3U);
}

}  // namespace
