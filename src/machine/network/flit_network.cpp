// flit_network: how it is built, the order of a cycle, and what arrives.
#include "machine/network/flit_network.hpp"

#include <algorithm>
#include <utility>

#include "machine/assert.hpp"
#include "machine/network/bits.hpp"

namespace tess::machine {
namespace {

std::uint32_t all_channels(network_parameters const& made_of) {
  std::uint32_t sum = 0;
  for (virtual_network const& network : made_of.virtual_networks) sum += network.channels;
  return sum;
}

constexpr std::uint32_t low_bits(std::uint32_t count) {
  return count >= 32 ? ~0U : (1U << count) - 1;
}

}  // namespace

flit_network::flit_network(network_parameters const& made_of, deliver_function deliver, bool express)
    : made_of_(made_of),
      topology_(made_of),
      deliver_(std::move(deliver)),
      ports_(topology_.ports()),
      channels_(all_channels(made_of)),
      routers_(topology_.routers()),
      inputs_(std::size_t{topology_.routers()} * ports_),
      outputs_(inputs_.size()),
      input_channels_(inputs_.size() * channels_),
      output_channels_(inputs_.size() * channels_),
      buffers_(inputs_.size() * channels_ * made_of.buffer_flits),
      interfaces_(topology_.nodes()),
      active_routers_((topology_.routers() + 63) / 64),
      active_nodes_((topology_.nodes() + 63) / 64),
      link_flits_(inputs_.size()),
      with_express_(express && !made_of.speculative),
      ways_(made_of),
      links_(inputs_.size() + topology_.nodes()),
      paths_(topology_),
      express_(16),
      landing_links_(links_.size()),
      credited_(links_.size()),
      switch_channel_(std::size_t{ports_} * ports_),
      switch_requests_(ports_),
      switch_grants_(ports_) {
  MACHINE_ASSERT(channels_ >= 1 && channels_ <= channels_max);
  MACHINE_ASSERT(made_of.buffer_flits >= 1 && made_of.buffer_flits < 256);
  MACHINE_ASSERT(made_of.link_cycles >= 1 && made_of.traversal_cycles >= 1);
  std::uint32_t first = 0;
  for (virtual_network const& network : made_of.virtual_networks) {
    MACHINE_ASSERT(made_of.topology != topology_kind::torus || network.channels % 2 == 0);
    std::uint32_t const half = network.channels / 2;
    channel_masks_.push_back(low_bits(network.channels) << first);
    channel_masks_.push_back(low_bits(half) << first);
    channel_masks_.push_back(low_bits(network.channels - half) << (first + half));
    for (std::uint32_t i = 0; i < network.channels; ++i) {
      channel_networks_.push_back(static_cast<std::uint8_t>(channel_masks_.size() / 3 - 1));
    }
    first += network.channels;
    one_priority_ = one_priority_ && network.priority == made_of.virtual_networks.front().priority;
  }
  std::uint32_t const slowest = std::max({made_of.traversal_cycles + made_of.link_cycles + 1,
                                          made_of.link_cycles + 1 + made_of.credit_cycles, made_of.routing_cycles + 1});
  calendar_.resize(std::bit_ceil(slowest + 1));
  calendar_mask_ = calendar_.size() - 1;
  aside_ = {std::vector<cycle_list>(calendar_.size()), std::vector<std::uint64_t>(active_routers_.size()),
            std::vector<std::uint64_t>(active_nodes_.size()), 0};
  connect();
}

void flit_network::connect() {
  std::uint32_t const every_channel = low_bits(channels_);
  for (std::uint32_t r = 0; r < topology_.routers(); ++r) {
    for (std::uint32_t p = 0; p < ports_; ++p) {
      output_port& output = outputs_[r * ports_ + p];
      inputs_[r * ports_ + p].router = r;
      inputs_[r * ports_ + p].port = static_cast<std::uint8_t>(p);
      for (std::uint32_t c = 0; c < channels_; ++c)
        input_channels_[(r * ports_ + p) * channels_ + c].port = r * ports_ + p;
      std::uint32_t const node = topology_.node_at(r, p);
      link_end const ahead = topology_.neighbour(r, p);
      output.to_node = node != link_end::nowhere;
      if (output.to_node) {
        output.target = node;
        inputs_[r * ports_ + p].from_node = true;
        inputs_[r * ports_ + p].upstream = node;
      } else if (ahead.router != link_end::nowhere) {
        output.target = ahead.router * ports_ + ahead.port;
        inputs_[output.target].upstream = r * ports_ + p;
      } else {
        continue;  // the edge of a mesh
      }
      output.free = output.credited = every_channel;
      for (std::uint32_t c = 0; c < channels_; ++c) {
        output_channels_[(r * ports_ + p) * channels_ + c].credits = static_cast<std::uint8_t>(made_of_.buffer_flits);
      }
    }
  }
  for (node_interface& node : interfaces_) {
    node.lines.resize(made_of_.virtual_networks.size());
    node.free = node.credited = every_channel;
    node.credits.assign(channels_, static_cast<std::uint8_t>(made_of_.buffer_flits));
    node.arriving.resize(channels_);
    for (virtual_network const& network : made_of_.virtual_networks) node.places.push_back(network.receive_packets);
  }
}

bool flit_network::any(std::span<std::uint64_t const> bits) noexcept {
  return std::ranges::any_of(bits, [](std::uint64_t word) { return word != 0; });
}

std::uint64_t flit_network::next_cycle() const noexcept {
  if (busy()) return now_ + 1;
  std::uint64_t const express = arrivals_.empty() ? ~std::uint64_t{0} : arrivals_.front().cycle;
  if (flying_ == 0) return express;
  std::uint64_t cycle = now_ + 1;
  for (; cycle < express && cycle <= now_ + calendar_.size(); ++cycle) {
    cycle_list const& list = calendar_[cycle & calendar_mask_];
    if (!list.flits.empty() || !list.credits.empty() || !list.routed.empty()) return cycle;
  }
  return cycle;
}

void flit_network::step(std::uint64_t cycle) {
  MACHINE_DEBUG_ASSERT(cycle >= next_);
  now_ = cycle;
  next_ = cycle + 1;
  gathering_ = true;
  take_in_all(cycle);
  take_express_arrivals(cycle);
  gathering_ = false;
  if (!delivered_.empty()) deliver_all(cycle);
  move_all(cycle);
}

void flit_network::take_in_all(std::uint64_t cycle) {
  cycle_list& list = list_at(cycle);
  for (flying_credit const& arrived : list.credits) take_in(arrived);
  for (flying_flit const& arrived : list.flits) take_in(arrived, cycle);
  flying_ -= list.credits.size() + list.flits.size();
  list.credits.clear();
  list.flits.clear();
}

void flit_network::deliver_all(std::uint64_t cycle) {
  delivering_ = true;
  if (delivered_.size() > 1) std::ranges::sort(delivered_, {}, &packet::target);
  for (packet const& whole : delivered_) deliver_(whole, cycle);
  delivered_.clear();
  delivering_ = false;
}

void flit_network::move_all(std::uint64_t cycle) {
  for (std::size_t word = 0; word < active_nodes_.size(); ++word) {
    for_each_bit(active_nodes_[word],
                 [&](std::uint32_t bit) { inject(static_cast<std::uint32_t>(word * 64) + bit, cycle); });
  }
  for (std::size_t word = 0; word < active_routers_.size(); ++word) {
    for_each_bit(active_routers_[word],
                 [&](std::uint32_t bit) { allocate(static_cast<std::uint32_t>(word * 64) + bit, cycle); });
  }
  cycle_list& list = list_at(cycle);
  for (std::uint32_t const routed : list.routed) set_route(routed);
  flying_ -= list.routed.size();
  list.routed.clear();
}

void flit_network::allocate(std::uint32_t router_index, std::uint64_t cycle) {
  // All decisions first, from the state at the start of the cycle; then what follows from them.
  if (made_of_.speculative) {
    allocate_channels(router_index);
    allocate_switch(router_index);
    take_granted_channels(router_index);
  } else {
    // What the switch does follows from the channels that are held already.
    allocate_switch(router_index);
    if (!give_lone_channel(router_index)) {
      allocate_channels(router_index);
      take_granted_channels(router_index);
    }
  }
  for (switch_winner const& winner : winners_) traverse(router_index, winner.port, winner.channel, cycle);
  router const& r = routers_[router_index];
  if ((r.waiting_ports | r.ready_ports) == 0) {
    active_routers_[router_index / 64] &= ~(std::uint64_t{1} << router_index % 64);
  }
}

void flit_network::take_in(flying_credit const& arrived) {
  if (arrived.to_node) {
    node_interface& node = interfaces_[arrived.target];
    --links_[outputs_.size() + arrived.target].owed;
    ++node.credits[arrived.channel];
    node.credited |= 1U << arrived.channel;
    return;
  }
  --links_[arrived.target].owed;
  ++output_channels_[arrived.target * channels_ + arrived.channel].credits;
  outputs_[arrived.target].credited |= 1U << arrived.channel;
}

void flit_network::take_in(flying_flit const& arrived, std::uint64_t cycle) {
  if (arrived.to_node) {
    arrive(arrived.target, arrived.channel, arrived.moved, cycle);
    return;
  }
  std::uint32_t const index = arrived.target * channels_ + arrived.channel;
  input_channel& channel = input_channels_[index];
  std::uint32_t const depth = made_of_.buffer_flits;
  MACHINE_DEBUG_ASSERT(channel.count < depth);
  std::uint32_t last = std::uint32_t{channel.first} + channel.count;
  if (last >= depth) last -= depth;
  buffers_[index * depth + last] = arrived.moved;
  if (channel.count++ != 0) return;
  if (channel.output_channel != unassigned) {
    input_port& input = inputs_[arrived.target];
    std::uint32_t const r = input.router;
    input.ready |= 1U << arrived.channel;
    routers_[r].ready_ports |= std::uint64_t{1} << input.port;
    active_routers_[r / 64] |= std::uint64_t{1} << r % 64;
  } else {
    begin_packet(index, cycle);
  }
}

void flit_network::begin_packet(std::uint32_t input_index, std::uint64_t first_cycle) {
  if (made_of_.routing_cycles == 0) return set_route(input_index);
  list_at(first_cycle + made_of_.routing_cycles - 1).routed.push_back(input_index);
  ++flying_;
}

void flit_network::set_route(std::uint32_t input_index) {
  input_channel& channel = input_channels_[input_index];
  input_port& input = inputs_[channel.port];
  std::uint32_t const r = input.router;
  packet const& routed = packets_[buffers_[input_index * made_of_.buffer_flits + channel.first].packet];
  route_step const step = topology_.route(r, routed.target);
  channel.output = step.port;
  channel.may_take = channel_masks_[routed.network * 3U + static_cast<std::uint32_t>(step.half)];
  input.waiting |= 1U << (input_index - channel.port * channels_);
  routers_[r].waiting_ports |= std::uint64_t{1} << input.port;
  active_routers_[r / 64] |= std::uint64_t{1} << r % 64;
}

}  // namespace tess::machine
