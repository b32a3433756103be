// network: the network as a device of the kernel: it ticks while something moves and sleeps otherwise.
//
//   Units hand it packets and are told when one has arrived. What is accepted waits at its node, so a sender that must
//   be held back asks waiting() or keeps a credit of its own (docs/internals/machine.md, 5); nothing ever waits inside
//   a router for a unit, unless the unit limits what it takes in (receive_packets).
//
//   What a node sends to itself does not go through its router but by a loop in its interface, as wide as a link and as
//   long as the way through an idle router: a core beside its memory has no network between.
//
// Units     picoseconds outside, cycles of the given clock inside; an injected packet counts from the next edge.
//   What is handed over goes in at the end of its time, when all else of it has happened, and so do arrivals.
//
// Cost      one event for a packet that meets no other, or to oneself; otherwise one per cycle in which something
// moves. Threads   one.
#pragma once

#include <deque>

#include "machine/kernel/kernel.hpp"
#include "machine/network/flit_network.hpp"

namespace tess::machine {

/// Who is told of packets for a node.
class packet_receiver {
 public:
  virtual ~packet_receiver() = default;
  /// All of it is here. With receive_packets > 0 its place is taken until network::release().
  virtual void arrived(packet const& whole) = 0;
};

class network {
 public:
  network(kernel& k, clock_domain clock, network_parameters const& parameters);

  /// Once per node, before anything is sent to it; it must outlive the network.
  void attach(std::uint32_t node, packet_receiver& receiver);

  /// `created` and `injected` are set here; the rest is the sender's.
  void send(packet sent);
  void release(std::uint32_t node, std::uint32_t virtual_network);
  [[nodiscard]] std::uint32_t waiting(std::uint32_t node, std::uint32_t virtual_network) const noexcept {
    return flits_.waiting(node, virtual_network, next_cycle());
  }

  /// Operations that adapters have begun and not finished, all together: while there are none, no tile hears of another
  /// before a whole new one has come.
  void operation_begins() noexcept { ++operations_; }
  void operation_ends() noexcept { --operations_; }
  [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }

  /// Flits that have left by this port, for statistics.
  [[nodiscard]] std::uint64_t link_flits(std::uint32_t router, std::uint32_t port) const noexcept {
    return flits_.link_flits(router, port, next_cycle());
  }
  [[nodiscard]] flit_network const& inside() const noexcept { return flits_; }
  [[nodiscard]] clock_domain clock() const noexcept { return clock_; }

 private:
  /// A packet on its way from a node to itself.
  struct looped : event {
    explicit looped(network& owner_) : event([](event& self) { static_cast<looped&>(self).arrive(); }), owner(owner_) {}
    void arrive();
    network& owner;
    packet carried;
  };
  struct tick_event : event {
    explicit tick_event(network& owner_)
        : event([](event& self) { static_cast<tick_event&>(self).owner.tick(); }), owner(owner_) {}
    network& owner;
  };
  void tick();
  /// The first cycle that has not been stepped and does not lie behind.
  [[nodiscard]] std::uint64_t next_cycle() const noexcept;
  /// A tick at the end of this time, unless one is to come by then.
  void plan(picoseconds time);
  void loop(packet const& sent);

  kernel& kernel_;
  clock_domain clock_;
  std::vector<packet_receiver*> receivers_;
  flit_network flits_;
  std::vector<std::uint64_t> loop_free_;  ///< By node: the cycle from which its loop takes the next flit.
  zero_load_timings zero_load_;
  std::deque<looped> all_loops_;
  std::vector<looped*> spare_loops_;
  std::uint64_t operations_ = 0;
  static constexpr picoseconds never = ~picoseconds{0};
  picoseconds planned_ = never;  ///< Of the next tick.
  picoseconds last_ = never;     ///< Of the last tick.
  bool ticking_ = false;
  tick_event tick_{*this};
};

}  // namespace tess::machine
