// network: the network as a device of the event kernel, with a tick in each cycle in which something happens.
//
//   Units hand packets to the network and are told of each arrival. Any number of packets can wait at a node, so a
//   sender that must be held back asks waiting() or keeps credits of its own (adapters do). Nothing inside a router
//   ever waits for a unit, unless the unit limits what it receives (receive_packets).
//   A packet from a node to itself bypasses its router: it takes a loopback link in the node's interface, as wide as a
//   link and as long as the path through an idle router. So there is no contention between a core and its own memory.
//   A packet enters the network at the end of the simulated time in which it is sent, after all other events of that
//   time. Arrivals happen at the end of their time, too.
//
// Units     picoseconds outside, cycles of the given clock inside. A packet counts from the next clock edge.
// Cost      one event for an uncontended packet, or one to the same node; otherwise one for each cycle in which
//           something moves.
// Threads   one.
#pragma once

#include <deque>

#include "machine/kernel/kernel.hpp"
#include "machine/network/flit_network.hpp"

namespace tess::machine {

/// Receives the packets for a node.
class packet_receiver {
 public:
  virtual ~packet_receiver() = default;
  /// The whole packet has arrived. With receive_packets > 0 it occupies room until network::release().
  virtual void arrived(packet const& whole) = 0;
};

class network {
 public:
  /// What the link from a node into its router, or back to the node, has carried.
  struct source_statistics {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
    std::uint64_t wait_cycles = 0;  ///< Sum over the packets, until their heads left the node.
  };

  network(kernel& k, clock_domain clock, network_parameters const& parameters);

  /// Where the events of a node's tile happen.
  [[nodiscard]] static constexpr std::uint32_t site_of(std::uint32_t node) noexcept { return node + 1; }

  /// Called once for each node, before anything is sent to it. The receiver must outlive the network.
  void attach(std::uint32_t node, packet_receiver& receiver);

  /// Sets `created`; `injected` and `hops` are known on arrival; the sender sets the rest.
  void send(packet sent);
  void release(std::uint32_t node, std::uint32_t virtual_network);
  [[nodiscard]] std::uint32_t waiting(std::uint32_t node, std::uint32_t virtual_network) const noexcept {
    return flits_.waiting(node, virtual_network, next_cycle());
  }

  /// Flits that have left by this port, for statistics.
  [[nodiscard]] std::uint64_t link_flits(std::uint32_t router, std::uint32_t port) const noexcept {
    return flits_.link_flits(router, port, next_cycle());
  }
  /// The packets of a node that have arrived.
  [[nodiscard]] source_statistics const& counted(std::uint32_t node) const noexcept { return counted_[node]; }
  [[nodiscard]] network_parameters const& parameters() const noexcept { return flits_.parameters(); }
  [[nodiscard]] topology const& layout() const noexcept { return flits_.layout(); }
  [[nodiscard]] clock_domain clock() const noexcept { return clock_; }

 private:
  /// A packet in flight from a node to itself.
  struct loopback_packet : event {
    explicit loopback_packet(network& owner_)
        : event([](event& self) { static_cast<loopback_packet&>(self).arrive(); }), owner(owner_) {}
    void arrive();
    network& owner;
    packet carried;
  };
  struct tick_event : event {
    explicit tick_event(network& owner_)
        : event([](event& self) { static_cast<tick_event&>(self).owner.tick(); }), owner(owner_) {}
    network& owner;
  };
  void deliver(packet const& whole);
  void tick();
  /// The first cycle that has not been stepped and is not in the past.
  [[nodiscard]] std::uint64_t next_cycle() const noexcept;
  /// Plans a tick at the end of this time, unless one is planned no later.
  void plan(picoseconds time);
  void send_loopback(packet const& sent);

  kernel& kernel_;
  clock_domain clock_;
  std::vector<packet_receiver*> receivers_;
  std::vector<source_statistics> counted_;
  flit_network flits_;
  std::vector<std::uint64_t> loopback_free_;  ///< [node]: the first cycle in which its loopback link is free.
  zero_load_timings zero_load_;
  std::deque<loopback_packet> loopbacks_;
  std::vector<loopback_packet*> free_loopbacks_;
  static constexpr picoseconds never = ~picoseconds{0};
  picoseconds planned_ = never;  ///< Time of the next tick.
  picoseconds last_ = never;     ///< Time of the last tick.
  bool ticking_ = false;
  tick_event tick_{*this};
};

}  // namespace tess::machine
