// network: from time to cycles and back.
#include "machine/network/network.hpp"

#include <algorithm>

#include "machine/assert.hpp"

namespace tess::machine {

network::network(kernel& k, clock_domain clock, network_parameters const& made_of)
    : event([](event& self) { static_cast<network&>(self).tick(); }),
      kernel_(k),
      clock_(clock),
      receivers_(made_of.nodes()),
      flits_(made_of,
             [this](packet const& whole, std::uint64_t) {
               MACHINE_ASSERT(receivers_[whole.target] != nullptr);
               receivers_[whole.target]->arrived(whole);
             }),
      loop_free_(made_of.nodes()) {}

void network::attach(std::uint32_t node, packet_receiver& receiver) {
  receivers_[node] = &receiver;
}

void network::send(packet sent) {
  sent.created = clock_.count(clock_.edge(kernel_.now()));
  bool const limited = inside().made_of().virtual_networks[sent.network].receive_packets > 0;
  if (sent.source == sent.target && !limited) return loop(sent);
  flits_.send(sent);
  wake();
}

void network::loop(packet const& sent) {
  if (spare_loops_.empty()) spare_loops_.push_back(&all_loops_.emplace_back(*this));
  looped& begun = *spare_loops_.back();
  spare_loops_.pop_back();
  begun.carried = sent;
  begun.carried.injected = std::max(sent.created, loop_free_[sent.source]);
  lone_way const& way = way_of(sent.flits);
  loop_free_[sent.source] = begun.carried.injected + way.injected_cycles;
  kernel_.at(clock_.cycles(begun.carried.injected + way.arrived_cycles), begun);
}

network::lone_way const& network::way_of(std::uint32_t flits) {
  if (flits >= lone_ways_.size()) lone_ways_.resize(flits + 1);
  lone_way& way = lone_ways_[flits];
  if (way.arrived_cycles != 0) return way;
  // Each flit follows the one before it, and needs the credit of the one that had its place in the buffer.
  network_parameters const& of = inside().made_of();
  std::vector<std::uint64_t> crossed(flits);  // the switch
  std::uint64_t sent = 0;
  for (std::uint32_t f = 0; f < flits; ++f) {
    std::uint32_t const ago = of.buffer_flits;
    bool const full = f >= ago;
    sent = f == 0 ? 0 : std::max(sent + 1, full ? crossed[f - ago] + of.link_cycles + 1 : 0);
    std::uint64_t const came = sent + of.link_cycles + 1;
    std::uint64_t const ahead = of.traversal_cycles + 2 * (of.link_cycles + 1) + of.credit_cycles;
    if (f == 0) {
      crossed[f] = came + of.routing_cycles + (of.speculative ? 0 : 1);
    } else {
      crossed[f] = std::max({came, crossed[f - 1] + 1, full ? crossed[f - ago] + ahead : 0});
    }
  }
  way = {sent + 1, crossed.back() + of.traversal_cycles + of.link_cycles + 1};
  return way;
}

void network::looped::arrive() {
  packet const whole = carried;
  owner.spare_loops_.push_back(this);
  owner.receivers_[whole.target]->arrived(whole);
}

void network::release(std::uint32_t node, std::uint32_t virtual_network) {
  flits_.release(node, virtual_network, clock_.count(clock_.edge(kernel_.now())));
  wake();
}

void network::wake() {
  if (awake_) return;
  awake_ = true;
  kernel_.at(clock_.edge(kernel_.now()), *this);
}

void network::tick() {
  picoseconds next = 0;
  do {
    // What arrives may send: the flag stays up, and the next tick is put in below.
    flits_.step(clock_.count(kernel_.now()));
    awake_ = flits_.busy() || flits_.flying();
    if (!awake_) return;
    next = clock_.cycles(flits_.next_cycle());
  } while (kernel_.pass(next));
  kernel_.at(next, *this);
}

}  // namespace tess::machine
