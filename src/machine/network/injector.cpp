// injector: chooses the queue and the virtual channel of the flit that a node sends in a cycle.
#include "machine/network/injector.hpp"

#include <algorithm>
#include <bit>

namespace tess::machine {

injector::injector(network_shape const& shape, std::uint32_t node, network_links& links, schedule& events,
                   packet_pool& packets, arena& memory)
    : shape_(shape),
      links_(links),
      events_(events),
      packets_(packets),
      node_(node),
      link_(shape.node_link(node)),
      free_(lowest_bits(shape.channels())),
      credited_(free_),
      credits_(memory.array<std::uint8_t>(shape.channels())),
      queues_(memory.array<queue>(shape.virtual_networks()), shape.virtual_networks()) {
  std::fill_n(credits_, shape.channels(), static_cast<std::uint8_t>(shape.parameters().buffer_flits));
}

void injector::enqueue(std::uint32_t index) {
  queue& into = queues_[packets_[index].network];
  (into.first == packet_pool::none ? into.first : packets_[into.last].next) = index;
  into.last = index;
  ++into.length;
  events_.activate_node(node_);
}

/// The next queue, round robin, among those of the highest priority. `queues` are bits and not empty.
std::uint32_t injector::most_urgent(std::uint32_t queues) const noexcept {
  if (std::has_single_bit(queues)) return static_cast<std::uint32_t>(std::countr_zero(queues));
  auto const& networks = shape_.parameters().virtual_networks;
  std::uint32_t best = packet_pool::none;
  auto const compare = [&](std::uint32_t network) {
    if (best == packet_pool::none || networks[network].priority > networks[best].priority) best = network;
  };
  for_each_bit(queues & ~0U << next_queue_, compare);
  for_each_bit(queues & ~(~0U << next_queue_), compare);
  return best;
}

void injector::step(std::uint64_t cycle) {
  auto const queues = static_cast<std::uint32_t>(queues_.size());
  std::uint32_t waiting = 0;
  for (std::uint32_t network = 0; network < queues; ++network)
    waiting |= (queues_[network].length != 0 ? 1U : 0U) << network;
  for (std::uint32_t left = waiting; left != 0;) {
    std::uint32_t const network = most_urgent(left);
    left &= ~(1U << network);
    if (!send_flit(network, cycle)) continue;
    next_queue_ = network + 1 == queues ? 0 : network + 1;
    if (queues_[network].length == 0) waiting &= ~(1U << network);
    break;
  }
  if (waiting == 0) events_.deactivate_node(node_);
}

/// Returns false if there is no channel or no credit for the first packet of this queue.
bool injector::send_flit(std::uint32_t network, std::uint64_t cycle) {
  queue& from = queues_[network];
  packet_pool::entry& sent = packets_[from.first];
  bool const head = from.flits_left == 0;
  if (head) {
    std::uint8_t const channel = choose_channel(network);
    if (channel == no_channel) return false;
    from.channel = from.last_channel = channel;
    from.flits_left = sent.flits;
    free_ &= ~(1U << channel);
    sent.injected = cycle;
  } else if ((credited_ >> from.channel & 1U) == 0) {
    return false;
  }
  std::uint8_t const channel = from.channel;
  if (--credits_[channel] == 0) credited_ &= ~(1U << channel);
  bool const tail = --from.flits_left == 0;
  links_.send(link_, {from.first, head, tail}, channel, cycle);
  if (tail) {
    links_.remove_packet(link_);
    free_ |= 1U << channel;
    from.first = sent.next;
    --from.length;
  }
  return true;
}

}  // namespace tess::machine
