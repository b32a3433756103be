// flit_network: runs the engine and the fast path through a cycle: arrivals, deliveries, then work.
#include "machine/network/flit_network.hpp"

#include <algorithm>
#include <utility>

#include "machine/kernel/assert.hpp"

namespace tess::machine {

flit_network::flit_network(network_parameters const& parameters, deliver_function deliver, bool with_fast_path)
    : delivery_(std::move(deliver)), engine_(parameters, delivery_), fast_path_(engine_, delivery_, with_fast_path) {}

std::uint64_t flit_network::send(packet const& sent) {
  MACHINE_ASSERT(sent.source < layout().nodes() && sent.target < layout().nodes());
  MACHINE_ASSERT(sent.network < engine_.shape().virtual_networks() && sent.flits > 0);
  bool const delivering = delivery_.delivering();
  std::uint64_t const start = delivering ? now_ : std::max({sent.created, next_, fast_path_.replayed_until()});
  return fast_path_.send(sent, start, delivering);
}

void flit_network::step(std::uint64_t cycle) {
  MACHINE_DEBUG_ASSERT(cycle >= std::max(next_, fast_path_.replayed_until()));
  now_ = cycle;
  next_ = cycle + 1;
  delivery_.begin();
  engine_.receive(cycle);
  fast_path_.receive(cycle);
  delivery_.end(cycle);
  engine_.advance(cycle);
}

std::uint64_t flit_network::next_cycle() const noexcept {
  if (busy()) return now_ + 1;
  std::uint64_t const arrival = fast_path_.next_arrival();
  return engine_.events().pending() == 0 ? arrival : engine_.events().next_event(now_, arrival);
}

}  // namespace tess::machine
