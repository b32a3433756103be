// ejector: admits packets where receivers have a limit, and delivers a packet with its tail.
#include "machine/network/ejector.hpp"

#include "machine/kernel/assert.hpp"
#include "machine/network/bits.hpp"

namespace tess::machine {

ejector::ejector(network_shape const& shape, std::uint32_t node, network_links& links, packet_pool& packets,
                 delivery& complete)
    : shape_(shape), links_(links), packets_(packets), complete_(complete), channels_(shape.channels()) {
  link_end const from = shape.layout().attachment(node);
  link_ = shape.link(from.router, from.port);
  for (std::uint32_t network = 0; network < shape.virtual_networks(); ++network)
    room_.push_back(shape.receive_limit(network));
}

void ejector::drain(std::uint8_t channel, std::uint64_t cycle) {
  input_channel& from = channels_[channel];
  std::uint32_t& room = room_[shape_.network_of(channel)];
  while (!from.held.empty()) {
    if (!from.admitted) {
      if (room == 0) return;
      --room;
      from.admitted = true;
    }
    flit const next = from.held.front();
    from.held.erase(from.held.begin());
    from.admitted = !next.tail;
    consume(next, channel, cycle);
  }
}

void ejector::release(std::uint32_t network, std::uint64_t cycle) {
  MACHINE_ASSERT(shape_.receive_limit(network) > 0);
  ++room_[network];
  MACHINE_ASSERT(room_[network] <= shape_.receive_limit(network));
  for_each_bit(shape_.allowed_channels(network, channel_half::all), [&](std::uint32_t channel) {
    if (room_[network] > 0) drain(static_cast<std::uint8_t>(channel), cycle);
  });
}

void ejector::complete(std::uint32_t index, std::uint64_t cycle) {
  packet_pool::entry const whole = packets_[index];
  packets_.remove(index);  // before the delivery, in which the receiver may send
  if (!whole.delivered) complete_.add(whole, cycle);
}

}  // namespace tess::machine
