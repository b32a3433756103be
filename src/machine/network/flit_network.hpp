// flit_network: a cycle-accurate network on chip: takes packets and delivers them in the cycle in which they arrive.
//
//   Wormhole switching with virtual channels and credits; both allocators are iSLIP with one iteration. A packet waits
//   at its source node, enters its router flit by flit, and is delivered with its tail. A virtual network with a
//   receive limit (receive_packets > 0) delivers no more packets to a node than it has room for, until the node calls
//   release(); packets that are not admitted block those behind them.
//   flit_engine simulates packets flit by flit; fast_path computes the arrival of packets for which that is not
//   necessary. The result is the same in every cycle.
//
// Units     cycles of the network's clock.
// Cost      about 0.1 us for an uncontended packet, 0.3 us for one in a batch, otherwise 0.1 us for a flit and router.
//           Nothing is allocated once the buffers have grown to their size.
// Threads   one.
// Test      against BookSim2's curves (tests/machine/network/booksim_test.cpp), and the fast path against the simulated
//           flits (tests/machine/network/fast_path_test.cpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine/network/delivery.hpp"
#include "machine/network/fast_path/fast_path.hpp"
#include "machine/network/flit_engine.hpp"
#include "machine/network/packet.hpp"
#include "machine/network/parameters.hpp"
#include "machine/network/topology.hpp"

namespace tess::machine {

class flit_network {
 public:
  /// `deliver` is called for every packet in the cycle in which its tail arrives; within a cycle, in the order of the
  /// targets. It may send and release. `with_fast_path` changes the speed, not the result.
  flit_network(network_parameters const& parameters, deliver_function deliver, bool with_fast_path = true);

  [[nodiscard]] network_parameters const& parameters() const noexcept { return engine_.shape().parameters(); }
  [[nodiscard]] topology const& layout() const noexcept { return engine_.shape().layout(); }

  /// Queues a packet at its source, where any number may wait. It leaves in cycle `sent.created` at the earliest; no
  /// earlier cycle may be stepped afterwards. Returns the first cycle that must be stepped for it.
  std::uint64_t send(packet const& sent);
  /// Packets of a virtual network that have not left their node entirely before this cycle.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t node, std::uint32_t network, std::uint64_t cycle) const noexcept {
    return engine_.injector_at(node).waiting(network) + fast_path_.waiting(node, network, cycle);
  }
  /// The node has room for one more packet of a virtual network with a receive limit.
  void release(std::uint32_t node, std::uint32_t network, std::uint64_t cycle) {
    engine_.ejector_at(node).release(network, cycle);
  }

  /// Simulates this cycle. Cycles must ascend, and none may be skipped while the network is busy().
  void step(std::uint64_t cycle);
  /// A router or node has work in the next cycle.
  [[nodiscard]] bool busy() const noexcept { return engine_.events().busy(); }
  /// A flit, credit or packet will arrive in some later cycle.
  [[nodiscard]] bool arrivals_pending() const noexcept {
    return engine_.events().pending() != 0 || fast_path_.in_flight() != 0;
  }
  /// The next cycle in which something happens; only while busy() or arrivals_pending().
  [[nodiscard]] std::uint64_t next_cycle() const noexcept;
  /// Packets that have been sent and not delivered.
  [[nodiscard]] std::uint64_t packets_inside() const noexcept {
    return engine_.packets().size() + fast_path_.in_flight();
  }

  /// Flits that left by this port before this cycle, which must be the next one to be stepped.
  [[nodiscard]] std::uint64_t link_flits(std::uint32_t router, std::uint32_t port, std::uint64_t cycle) const noexcept {
    std::uint32_t const link = engine_.shape().link(router, port);
    return engine_.links().flits(link) - fast_path_.flits_ahead(link, cycle);
  }

 private:
  delivery delivery_;
  flit_engine engine_;
  fast_path fast_path_;
  std::uint64_t now_ = 0;   ///< The cycle that was stepped last.
  std::uint64_t next_ = 0;  ///< The first cycle that may be stepped.
};

}  // namespace tess::machine
