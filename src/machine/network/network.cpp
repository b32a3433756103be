// network: converts between simulated time and cycles, and plans the next tick.
#include "machine/network/network.hpp"

#include <algorithm>

#include "machine/kernel/assert.hpp"

namespace tess::machine {

network::network(kernel& k, clock_domain clock, network_parameters const& parameters)
    : kernel_(k),
      clock_(clock),
      receivers_(parameters.nodes()),
      counted_(parameters.nodes()),
      flits_(parameters,
             [this](packet const& whole, std::uint64_t) {
               kernel_.packet_ends(site_of(whole.target));
               std::uint32_t const before = kernel_.go_to(site_of(whole.target));
               deliver(whole);
               kernel_.go_to(before);
             }),
      loopback_free_(parameters.nodes()),
      zero_load_(parameters) {}

void network::attach(std::uint32_t node, packet_receiver& receiver) {
  receivers_[node] = &receiver;
}

void network::send(packet sent) {
  sent.created = clock_.cycle_from(kernel_.now());
  bool const limited = parameters().virtual_networks[sent.network].receive_packets > 0;
  if (sent.source == sent.target && !limited) return send_loopback(sent);
  kernel_.packet_begins(site_of(sent.target));
  plan(clock_.cycles(flits_.send(sent)));
}

void network::send_loopback(packet const& sent) {
  if (free_loopbacks_.empty()) free_loopbacks_.push_back(&loopbacks_.emplace_back(*this));
  loopback_packet& sending = *free_loopbacks_.back();
  free_loopbacks_.pop_back();
  sending.carried = sent;
  sending.carried.injected = std::max(sent.created, loopback_free_[sent.source]);
  packet_timing const& timing = zero_load_.of(1, sent.flits);
  loopback_free_[sent.source] = sending.carried.injected + timing.source_free;
  kernel_.at(clock_.cycles(sending.carried.injected + timing.arrived), sending);
}

void network::loopback_packet::arrive() {
  packet const whole = carried;
  owner.free_loopbacks_.push_back(this);
  owner.deliver(whole);
}

void network::deliver(packet const& whole) {
  MACHINE_ASSERT(receivers_[whole.target] != nullptr);
  source_statistics& of = counted_[whole.source];
  ++of.packets;
  of.flits += whole.flits;
  of.wait_cycles += whole.injected - whole.created;
  receivers_[whole.target]->arrived(whole);
}

void network::release(std::uint32_t node, std::uint32_t virtual_network) {
  flits_.release(node, virtual_network, clock_.cycle_from(kernel_.now()));
  plan(clock_.cycles(next_cycle()));
}

std::uint64_t network::next_cycle() const noexcept {
  cycle_count const cycle = clock_.cycle_from(kernel_.now());
  return cycle + (last_ == clock_.cycles(cycle) && !ticking_ ? 1 : 0);
}

void network::plan(picoseconds time) {
  if (ticking_ || planned_ <= time) return;  // tick() plans the next one at its end
  planned_ = time;
  kernel_.close(time, tick_);
}

void network::tick() {
  planned_ = never;
  last_ = kernel_.now();
  ticking_ = true;
  flits_.step(clock_.count(last_));
  ticking_ = false;
  if (flits_.busy() || flits_.arrivals_pending()) plan(clock_.cycles(flits_.next_cycle()));
}

}  // namespace tess::machine
