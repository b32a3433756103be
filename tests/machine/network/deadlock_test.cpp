// deadlock_test: bursts of packets complete with buffers of one flit, even if every request needs a reply.
//
// Method: nodes that admit one request at a time and keep it until the reply has left; as a control, the same protocol
// on one virtual network, which must deadlock. On a torus, traffic that uses all links of every ring.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "machine/network/network.hpp"

namespace {

using tess::machine::clock_domain;
using tess::machine::event;
using tess::machine::kernel;
using tess::machine::network;
using tess::machine::network_parameters;
using tess::machine::packet;
using tess::machine::packet_receiver;
using tess::machine::ring_classes;
using tess::machine::topology_kind;

constexpr clock_domain clock_50_mhz{20'000};

/// Sends requests to all others, answers requests one at a time, and counts replies.
class node : public packet_receiver, event {
 public:
  node(kernel& k, network& over, std::uint32_t number, std::uint8_t reply_network)
      : event([](event& self) { static_cast<node&>(self).answer(); }),
        kernel_(k),
        network_(over),
        number_(number),
        reply_network_(reply_network) {
    over.attach(number, *this);
  }

  void request(std::uint32_t target) {
    network_.send({.source = number_, .target = target, .flits = 3, .network = 0, .cookie = is_request});
  }

  void arrived(packet const& whole) override {
    if (whole.cookie == is_reply) {
      ++replies;
      if (reply_network_ == 0) network_.release(number_, 0);
      return;
    }
    asked_by_.push_back(whole.source);
    if (asked_by_.size() == 1) kernel_.after(0, *this);
  }

  std::uint64_t replies = 0;

 private:
  static constexpr std::uint64_t is_request = 1;
  static constexpr std::uint64_t is_reply = 2;

  void answer() {
    if (sent_) {
      if (network_.waiting(number_, reply_network_) > 0) return kernel_.after(clock_50_mhz.period_ps(), *this);
      sent_ = false;
      asked_by_.pop_front();
      network_.release(number_, 0);
    }
    if (asked_by_.empty()) return;
    network_.send(
        {.source = number_, .target = asked_by_.front(), .flits = 5, .network = reply_network_, .cookie = is_reply});
    sent_ = true;
    kernel_.after(clock_50_mhz.period_ps(), *this);
  }

  kernel& kernel_;
  network& network_;
  std::uint32_t number_;
  std::uint8_t reply_network_;
  std::deque<std::uint32_t> asked_by_;
  bool sent_ = false;
};

/// The number of replies received, of 16 nodes × rounds × 16 requests.
std::uint64_t flood(topology_kind topology, std::uint8_t reply_network, std::uint32_t rounds) {
  network_parameters parameters;
  parameters.topology = topology;
  parameters.width = parameters.height = 4;
  parameters.buffer_flits = 1;
  std::uint32_t const channels = topology == topology_kind::torus ? 2 : 1;
  parameters.virtual_networks = {{channels, 0, 1}, {channels, 0, 0}};
  kernel k(clock_50_mhz.period_ps());
  network over(k, clock_50_mhz, parameters);
  std::vector<std::unique_ptr<node>> nodes;
  for (std::uint32_t i = 0; i < 16; ++i) nodes.push_back(std::make_unique<node>(k, over, i, reply_network));
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (auto const& from : nodes) {
      for (std::uint32_t to = 0; to < 16; ++to) from->request(to);
    }
  }
  k.run_until(clock_50_mhz.cycles(300'000));
  std::uint64_t replies = 0;
  for (auto const& one : nodes) replies += one->replies;
  return replies;
}

TEST(requests_and_replies, complete_on_two_virtual_networks_with_buffers_of_one_flit) {
  for (topology_kind const topology : {topology_kind::mesh, topology_kind::torus, topology_kind::crossbar}) {
    EXPECT_EQ(flood(topology, 1, 8), 16U * 16 * 8);
  }
}

TEST(requests_and_replies, deadlock_on_one_virtual_network) {
  EXPECT_LT(flood(topology_kind::mesh, 0, 8), 16U * 16 * 8);
}

TEST(rings_of_a_torus, do_not_deadlock_when_every_packet_goes_half_way_round) {
  std::vector<std::pair<std::uint32_t, ring_classes>> rings;
  for (std::uint32_t const size : {4U, 5U, 8U})
    for (ring_classes const classes : {ring_classes::dateline, ring_classes::route, ring_classes::balanced})
      rings.emplace_back(size, classes);
  for (auto const& [size, classes] : rings) {
    network_parameters parameters;
    parameters.topology = topology_kind::torus;
    parameters.width = parameters.height = size;
    parameters.classes = classes;
    parameters.buffer_flits = 1;
    parameters.virtual_networks = {{2}};
    std::uint64_t delivered = 0;
    tess::machine::flit_network flits(parameters, [&](packet const&, std::uint64_t) { ++delivered; });
    std::uint32_t const nodes = size * size;
    for (std::uint32_t round = 0; round < 20; ++round) {
      for (std::uint32_t from = 0; from < nodes; ++from) {
        std::uint32_t const x = (from % size + size / 2) % size;
        std::uint32_t const y = (from / size + size / 2) % size;
        flits.send({.source = from, .target = y * size + x, .flits = 8});
      }
    }
    std::uint64_t cycle = 0;
    while ((flits.busy() || flits.arrivals_pending()) && cycle < 100'000) flits.step(cycle++);
    EXPECT_EQ(delivered, std::uint64_t{20} * nodes) << size << ", classes " << static_cast<int>(classes);
  }
}

struct recorder : packet_receiver {
  explicit recorder(kernel& k) : clock(k) {}
  void arrived(packet const&) override { times.push_back(clock.now()); }
  kernel& clock;
  std::vector<std::uint64_t> times;
};

TEST(a_network, sleeps_between_packets_and_keeps_their_time) {
  network_parameters parameters;
  parameters.width = parameters.height = 4;
  kernel k(clock_50_mhz.period_ps());
  network over(k, clock_50_mhz, parameters);
  recorder there(k);
  over.attach(15, there);
  for (std::uint64_t const start : {0ULL, 1'000'000'000ULL, 5'000'000'013ULL}) {
    k.run_until(start);
    over.send({.source = 0, .target = 15, .flits = 1});
    k.run();
    EXPECT_EQ(there.times.back(), clock_50_mhz.edge(start) + clock_50_mhz.cycles(7 + 5 * 6));
  }
  EXPECT_LT(k.events(), 3U * 50);
}

}  // namespace
