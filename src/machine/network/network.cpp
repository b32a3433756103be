// network: from time to cycles and back.
#include "machine/network/network.hpp"

#include <algorithm>

#include "machine/assert.hpp"

namespace tess::machine {

network::network(kernel& k, clock_domain clock, network_parameters const& made_of)
    : kernel_(k),
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
  picoseconds const turn = next_turn();
  flits_.send(sent);
  plan(turn);
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
  picoseconds const turn = next_turn();
  flits_.release(node, virtual_network, clock_.count(clock_.edge(kernel_.now())));
  plan(turn);
}

picoseconds network::next_turn() const noexcept {
  picoseconds const now = clock_.edge(kernel_.now());
  // Routers that have had their turn in this cycle do not have another.
  return last_ == now && flits_.busy() ? now + clock_.period_ps() : now;
}

void network::plan(picoseconds time) {
  if (ticking_ || planned_ <= time) return;  // the tick that goes on will see to it
  planned_ = time;
  if (spare_ticks_.empty()) spare_ticks_.push_back(&all_ticks_.emplace_back(*this));
  tick_event& next = *spare_ticks_.back();
  spare_ticks_.pop_back();
  kernel_.at(time, next);
}

void network::tick_event::fire() {
  owner.spare_ticks_.push_back(this);
  if (owner.planned_ == owner.kernel_.now()) owner.tick();
}

void network::tick() {
  planned_ = never;
  ticking_ = true;
  picoseconds next = never;
  do {
    last_ = kernel_.now();
    flits_.step(clock_.count(last_));
    bool const awake = flits_.busy() || flits_.flying();
    next = awake ? clock_.cycles(flits_.next_cycle()) : never;
  } while (next != never && kernel_.pass(next));
  ticking_ = false;
  if (next != never) plan(next);
}

}  // namespace tess::machine
