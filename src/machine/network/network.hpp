// network: the network as a device of the kernel: it ticks while something moves and sleeps otherwise.
//
//   Units hand it packets and are told when one has arrived. What is accepted waits at its node, so a sender that must
//   be held back asks waiting() or keeps a credit of its own (MACHINE.md 5); nothing ever waits inside a router for a
//   unit, unless the unit limits what it takes in (receive_packets).
//
//   What a node sends to itself does not go through its router but by a loop in its interface, as wide as a link and as
//   long as the way through an idle router: a core beside its memory has no network between.
//
// Units     picoseconds outside, cycles of the given clock inside; an injected packet counts from the next edge.
// Cost      one event per cycle in which something moves, one for a packet to oneself.
// Threads   one.
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
  network(kernel& k, clock_domain clock, network_parameters const& made_of);

  /// Once per node, before anything is sent to it; it must outlive the network.
  void attach(std::uint32_t node, packet_receiver& receiver);

  /// `created` and `injected` are set here; the rest is the sender's.
  void send(packet sent);
  void release(std::uint32_t node, std::uint32_t virtual_network);
  [[nodiscard]] std::uint32_t waiting(std::uint32_t node, std::uint32_t virtual_network) const noexcept {
    return flits_.waiting(node, virtual_network);
  }

  /// Operations that adapters have begun and not finished, all together: while there are none, no tile hears of another
  /// before a whole new one has come.
  void operation_begins() noexcept { ++operations_; }
  void operation_ends() noexcept { --operations_; }
  [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }

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
        : event([](event& self) { static_cast<tick_event&>(self).fire(); }), owner(owner_) {}
    void fire();
    network& owner;
  };
  void tick();
  /// The first cycle's time at which what comes now can go in; to be asked before it is handed over.
  [[nodiscard]] picoseconds next_turn() const noexcept;
  /// A tick at this time, unless one is to come by then.
  void plan(picoseconds time);
  void loop(packet const& sent);
  /// Of a packet that goes alone through one idle router and back, credits included.
  struct lone_way {
    std::uint64_t injected_cycles = 0;  ///< Until its node has sent all of it.
    std::uint64_t arrived_cycles = 0;   ///< Until all of it is there.
  };
  [[nodiscard]] lone_way const& way_of(std::uint32_t flits);

  kernel& kernel_;
  clock_domain clock_;
  std::vector<packet_receiver*> receivers_;
  flit_network flits_;
  std::vector<std::uint64_t> loop_free_;  ///< By node: the cycle from which its loop takes the next flit.
  std::vector<lone_way> lone_ways_;       ///< By flits; zeros where not yet known.
  std::deque<looped> all_loops_;
  std::vector<looped*> spare_loops_;
  std::uint64_t operations_ = 0;
  static constexpr picoseconds never = ~picoseconds{0};
  picoseconds planned_ = never;  ///< Of the next tick; others that wait in the calendar are overtaken, and do nothing.
  picoseconds last_ = never;     ///< Of the last tick.
  bool ticking_ = false;
  std::deque<tick_event> all_ticks_;
  std::vector<tick_event*> spare_ticks_;
};

}  // namespace tess::machine
