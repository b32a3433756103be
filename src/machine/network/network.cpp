// network: from time to cycles and back.
#include "machine/network/network.hpp"

#include "machine/assert.hpp"

namespace tess::machine {

network::network(kernel& k, clock_domain clock, network_parameters const& made_of)
    : event([](event& self) { static_cast<network&>(self).tick(); }),
      kernel_(k),
      clock_(clock),
      receivers_(made_of.nodes()),
      flits_(made_of, [this](packet const& whole, std::uint64_t) {
        MACHINE_ASSERT(receivers_[whole.target] != nullptr);
        receivers_[whole.target]->arrived(whole);
      }) {}

void network::attach(std::uint32_t node, packet_receiver& receiver) {
  receivers_[node] = &receiver;
}

void network::send(packet sent) {
  sent.created = clock_.count(clock_.edge(kernel_.now()));
  flits_.send(sent);
  wake();
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
  // What arrives may send: the flag stays up, and the next tick is put in below.
  flits_.step(clock_.count(kernel_.now()));
  awake_ = flits_.busy() || flits_.flying();
  if (awake_) kernel_.at(clock_.cycles(flits_.next_cycle()), *this);
}

}  // namespace tess::machine
