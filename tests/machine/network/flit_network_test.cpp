// flit_network_test: each packet arrives once, at its target, in the cycle that follows from the router's stages.
//
// Method: a single packet for every pair of nodes, on every kind of router; random floods with small buffers, in which
// every packet is counted; two flows that share a link.
#include "machine/network/flit_network.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace {

using tess::machine::flit_network;
using tess::machine::network_parameters;
using tess::machine::packet;
using tess::machine::topology_kind;

struct arrival {
  packet whole;
  std::uint64_t cycle;
};

/// Steps until the network is empty, for at most `cycles`. Returns whether it is.
bool drain(flit_network& network, std::uint64_t& cycle, std::uint64_t cycles) {
  for (std::uint64_t const end = cycle + cycles; cycle < end; ++cycle) {
    network.step(cycle);
    if (!network.busy() && !network.arrivals_pending()) return true;
  }
  return false;
}

network_parameters kind_of(topology_kind topology, bool look_ahead, bool speculative) {
  network_parameters parameters;
  parameters.topology = topology;
  parameters.width = parameters.height = 4;
  parameters.routing_cycles = look_ahead ? 0 : 1;
  parameters.speculative = speculative;
  parameters.virtual_networks = {{2}, {2}, {2}};
  return parameters;
}

class every_router : public testing::TestWithParam<std::tuple<topology_kind, bool, bool>> {
 protected:
  network_parameters parameters = std::apply(kind_of, GetParam());
};

TEST_P(every_router, takes_exactly_its_stages_when_a_packet_is_alone) {
  for (std::uint32_t const slow : {1U, 3U}) {
    parameters.link_cycles = slow;
    if (parameters.topology == topology_kind::torus) parameters.ring_link_cycles = 2 * slow;
    parameters.traversal_cycles = slow == 1 ? 1 : 2;
    if (parameters.routing_cycles > 0) parameters.routing_cycles = slow;
    parameters.buffer_flits = 20;  // covers the slowest round trip of a credit
    std::vector<arrival> arrivals;
    flit_network network(parameters,
                         [&](packet const& whole, std::uint64_t cycle) { arrivals.push_back({whole, cycle}); });
    std::uint64_t cycle = 0;
    for (std::uint32_t from = 0; from < parameters.nodes(); ++from) {
      for (std::uint32_t to = 0; to < parameters.nodes(); ++to) {
        for (std::uint32_t const flits : {1U, 5U}) {
          arrivals.clear();
          cycle += 100;
          network.send({.source = from, .target = to, .flits = flits, .network = 1, .cookie = to, .created = cycle});
          ASSERT_TRUE(drain(network, cycle, 1000));
          ASSERT_EQ(arrivals.size(), 1U);
          std::uint32_t const links = network.layout().distance(from, to);
          EXPECT_EQ(arrivals[0].whole.target, to);
          EXPECT_EQ(arrivals[0].whole.hops, links);
          EXPECT_EQ(arrivals[0].cycle - arrivals[0].whole.created, parameters.zero_load_cycles(links, flits));
        }
      }
    }
  }
}

TEST_P(every_router, delivers_every_packet_once_with_buffers_of_any_size) {
  for (std::uint32_t const depth : {1U, 2U, 7U}) {
    SCOPED_TRACE(testing::Message() << "buffers of " << depth << ", seed " << depth);
    parameters.buffer_flits = depth;
    std::mt19937_64 draw(depth);
    std::map<std::uint64_t, packet> expected;
    std::uint64_t flits_sent = 0;
    flit_network network(parameters, [&](packet const& whole, std::uint64_t) {
      auto const found = expected.find(whole.cookie);
      ASSERT_NE(found, expected.end()) << "delivered twice, or never sent";
      EXPECT_EQ(whole.target, found->second.target);
      EXPECT_EQ(whole.source, found->second.source);
      expected.erase(found);
    });
    for (std::uint64_t i = 0; i < 5000; ++i) {
      packet const sent{.source = static_cast<std::uint32_t>(draw() % 16),
                        .target = static_cast<std::uint32_t>(draw() % 16),
                        .flits = static_cast<std::uint32_t>(1 + draw() % 9),
                        .network = static_cast<std::uint8_t>(draw() % 3),
                        .cookie = i};
      expected.emplace(i, sent);
      flits_sent += sent.flits;
      network.send(sent);
    }
    std::uint64_t cycle = 0;
    ASSERT_TRUE(drain(network, cycle, 200'000)) << expected.size() << " packets did not arrive";
    EXPECT_TRUE(expected.empty());
    EXPECT_EQ(network.packets_inside(), 0U);
    std::uint64_t flits_out = 0;
    for (std::uint32_t node = 0; node < 16; ++node) {
      auto const at = network.layout().attachment(node);
      flits_out += network.link_flits(at.router, at.port, cycle + 1);
    }
    EXPECT_EQ(flits_out, flits_sent);
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, every_router,
                         testing::Combine(testing::Values(topology_kind::mesh, topology_kind::torus,
                                                          topology_kind::crossbar),
                                          testing::Bool(), testing::Bool()));

TEST(a_flit_network, keeps_packets_of_one_pair_and_virtual_network_in_order_with_one_channel) {
  network_parameters parameters;
  parameters.width = parameters.height = 4;
  std::vector<std::uint64_t> order;
  flit_network network(parameters, [&](packet const& whole, std::uint64_t) { order.push_back(whole.cookie); });
  for (std::uint32_t i = 0; i < 50; ++i) {
    network.send({.source = 0, .target = 15, .flits = 1 + i % 4 * 3, .cookie = i});
  }
  std::uint64_t cycle = 0;
  ASSERT_TRUE(drain(network, cycle, 10'000));
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_EQ(order[i], i);
}

/// Mean latencies of virtual networks 0 and 1 when their common load exceeds the capacity of a link.
std::array<double, 2> contended(std::uint32_t first_priority, std::uint32_t second_priority) {
  network_parameters parameters;
  parameters.width = 4;
  parameters.virtual_networks = {{4, first_priority}, {4, second_priority}};
  std::array<double, 2> sums{};
  std::array<std::uint64_t, 2> counts{};
  flit_network network(parameters, [&](packet const& whole, std::uint64_t cycle) {
    sums[whole.network] += static_cast<double>(cycle - whole.created);
    ++counts[whole.network];
  });
  // Nodes 0 and 1 send to node 3; each would use three quarters of the link.
  for (std::uint64_t cycle = 0; cycle < 4000; ++cycle) {
    if (cycle % 4 == 0) {
      network.send({.source = 0, .target = 3, .flits = 3, .network = 0, .created = cycle});
      network.send({.source = 1, .target = 3, .flits = 3, .network = 1, .created = cycle});
    }
    network.step(cycle);
  }
  return {sums[0] / static_cast<double>(counts[0]), sums[1] / static_cast<double>(counts[1])};
}

TEST(a_flit_network, lets_the_virtual_network_of_higher_priority_go_first) {
  auto const [low, high] = contended(0, 1);
  EXPECT_LT(high, 40);
  EXPECT_GT(low, 500);
  auto const [high_first, low_second] = contended(1, 0);
  EXPECT_LT(high_first, 60);
  EXPECT_GT(low_second, 500);
  auto const [one, other] = contended(0, 0);
  EXPECT_LT(std::abs(one - other), 0.5 * (one + other) * 0.5) << one << " and " << other;
}

}  // namespace
