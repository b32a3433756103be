// node_interface: where packets enter and leave a flit_network: lines at the source, reassembly at the target.
#include <bit>

#include "machine/assert.hpp"
#include "machine/network/bits.hpp"
#include "machine/network/flit_network.hpp"

namespace tess::machine {

std::uint32_t flit_network::store(packet const& sent) {
  ++packets_inside_;
  if (free_packets_ == none) {
    packets_.push_back({sent});
    return static_cast<std::uint32_t>(packets_.size() - 1);
  }
  std::uint32_t const taken = free_packets_;
  free_packets_ = packets_[taken].next;
  packets_[taken] = {sent};
  return taken;
}

void flit_network::forget(std::uint32_t stored) noexcept {
  --packets_inside_;
  packets_[stored].next = free_packets_;
  free_packets_ = stored;
}

void flit_network::queue(packet const& sent, bool delivered, std::span<std::uint32_t const> links) {
  for (std::uint32_t const link : links) ++links_[link].packets;
  std::uint32_t const stored = store(sent);
  packets_[stored].delivered = delivered;
  source_line& line = interfaces_[sent.source].lines[sent.network];
  (line.first == none ? line.first : packets_[line.last].next) = stored;
  line.last = stored;
  ++line.length;
  active_nodes_[sent.source / 64] |= std::uint64_t{1} << sent.source % 64;
}

/// Of these lines, round robin among equals; there is one.
std::uint32_t flit_network::most_urgent_line(std::uint32_t lines, std::uint32_t next) const noexcept {
  if (std::has_single_bit(lines)) return static_cast<std::uint32_t>(std::countr_zero(lines));
  std::uint32_t best = none;
  auto const look = [&](std::uint32_t network) {
    auto const& networks = made_of_.virtual_networks;
    if (best == none || networks[network].priority > networks[best].priority) best = network;
  };
  for_each_bit(lines & ~0U << next, look);
  for_each_bit(lines & ~(~0U << next), look);
  return best;
}

void flit_network::inject(std::uint32_t node, std::uint64_t cycle) {
  node_interface& from = interfaces_[node];
  auto const lines = static_cast<std::uint32_t>(from.lines.size());
  std::uint32_t waiting = 0;
  for (std::uint32_t network = 0; network < lines; ++network)
    waiting |= (from.lines[network].length != 0 ? 1U : 0U) << network;
  // One flit a cycle: of the most urgent line that can send.
  for (std::uint32_t left = waiting; left != 0;) {
    std::uint32_t const best = most_urgent_line(left, from.next_line);
    left &= ~(1U << best);
    if (!inject_from(node, best, cycle)) continue;
    from.next_line = best + 1 == lines ? 0 : best + 1;
    if (from.lines[best].length == 0) waiting &= ~(1U << best);
    break;
  }
  if (waiting == 0) active_nodes_[node / 64] &= ~(std::uint64_t{1} << node % 64);
}

std::uint8_t flit_network::choose_channel(node_interface const& from, std::uint32_t network) const noexcept {
  std::uint32_t const possible = channel_masks_[network * 3] & from.free & from.credited;
  if (possible == 0) return unassigned;
  std::uint8_t const last = from.lines[network].last_channel;
  return static_cast<std::uint8_t>(round_robin(possible, last == unassigned ? 0 : (last + 1U) % 32));
}

bool flit_network::inject_from(std::uint32_t node, std::uint32_t network, std::uint64_t cycle) {
  node_interface& from = interfaces_[node];
  source_line& line = from.lines[network];
  stored_packet& sent = packets_[line.first];
  bool const head = line.flits_left == 0;
  if (head) {
    std::uint8_t const channel = choose_channel(from, network);
    if (channel == unassigned) return false;
    line.channel = line.last_channel = channel;
    line.flits_left = sent.flits;
    from.free &= ~(1U << channel);
    sent.injected = cycle;
  } else if ((from.credited >> line.channel & 1U) == 0) {
    return false;
  }
  std::uint8_t const channel = line.channel;
  link_use& link = links_[outputs_.size() + node];
  ++link.owed;
  if (--from.credits[channel] == 0) from.credited &= ~(1U << channel);
  bool const tail = --line.flits_left == 0;
  link_end const into = topology_.attachment(node);
  list_at(cycle + made_of_.link_cycles + 1)
      .flits.push_back({{line.first, head, tail}, into.router * ports_ + into.port, channel, false});
  ++flying_;
  if (recording_) [[unlikely]]
    record({line.first, head, tail}, static_cast<std::uint32_t>(outputs_.size()) + node, cycle);
  if (tail) {
    --link.packets;
    from.free |= 1U << channel;
    line.first = sent.next;
    --line.length;
  }
  return true;
}

void flit_network::arrive(std::uint32_t node, std::uint8_t channel, flit arrived, std::uint64_t cycle) {
  if (receive_limit(channel_networks_[channel]) == 0) return sink(node, channel, arrived, cycle);
  interfaces_[node].arriving[channel].held.push_back(arrived);
  drain(node, channel, cycle);
}

void flit_network::drain(std::uint32_t node, std::uint8_t channel, std::uint64_t cycle) {
  arriving_channel& from = interfaces_[node].arriving[channel];
  std::uint32_t& places = interfaces_[node].places[channel_networks_[channel]];
  while (!from.held.empty()) {
    if (!from.admitted) {
      if (places == 0) return;
      --places;
      from.admitted = true;
    }
    flit const next = from.held.front();
    from.held.erase(from.held.begin());
    from.admitted = !next.tail;
    sink(node, channel, next, cycle);
  }
}

void flit_network::release(std::uint32_t node, std::uint32_t network, std::uint64_t cycle) {
  MACHINE_ASSERT(receive_limit(network) > 0);
  node_interface& to = interfaces_[node];
  ++to.places[network];
  MACHINE_ASSERT(to.places[network] <= receive_limit(network));
  for_each_bit(channel_masks_[network * 3], [&](std::uint32_t channel) {
    if (to.places[network] > 0) drain(node, static_cast<std::uint8_t>(channel), cycle);
  });
}

void flit_network::sink(std::uint32_t node, std::uint8_t channel, flit arrived, std::uint64_t cycle) {
  link_end const from = topology_.attachment(node);
  std::uint64_t const back = cycle + made_of_.link_cycles + 1 + made_of_.credit_cycles;
  list_at(back).credits.push_back({from.router * ports_ + from.port, channel, false});
  ++flying_;
  if (recording_) [[unlikely]]
    credited_[from.router * ports_ + from.port] = back;
  if (!arrived.tail) return;
  stored_packet const& whole = packets_[arrived.packet];
  if (whole.delivered) return forget(arrived.packet);
  if (gathering_) {
    delivered_.push_back(whole);
    return forget(arrived.packet);
  }
  packet const released = whole;
  forget(arrived.packet);
  deliver_(released, cycle);
}

}  // namespace tess::machine
