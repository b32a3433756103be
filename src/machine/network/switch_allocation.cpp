// switch_allocation: which flits cross a router's switch in a cycle; iSLIP, one iteration, and the way of a flit
// across.
//
//   An input offers one channel to each output: among those of the highest priority the next one round robin, channels
//   that are sure to hold an output channel before those that speculate on one. Outputs grant, inputs accept.
#include <algorithm>
#include <bit>

#include "machine/assert.hpp"
#include "machine/network/bits.hpp"
#include "machine/network/flit_network.hpp"

namespace tess::machine {

void flit_network::allocate_switch(std::uint32_t router_index) {
  winners_.clear();
  router const& r = routers_[router_index];
  std::uint64_t const asking = made_of_.speculative ? r.ready_ports | r.waiting_ports : r.ready_ports;
  if (asking == 0) return;
  if (!made_of_.speculative && grant_all(router_index)) return;
  requested_outputs_ = 0;
  for_each_bit(asking, [&](std::uint32_t port) { request_switch(router_index, port); });
  if (requested_outputs_ == 0) return;
  grant_switch(router_index);
  accept_switch(router_index);
}

bool flit_network::grant_all(std::uint32_t router_index) {
  input_port* const inputs = &inputs_[router_index * ports_];
  output_port* const outputs = &outputs_[router_index * ports_];
  auto const of = [&](switch_winner const& one) -> input_channel const& {
    return input_channels_[(router_index * ports_ + one.port) * channels_ + one.channel];
  };
  std::uint64_t asked = 0;
  for (std::uint64_t left = routers_[router_index].ready_ports; left != 0; left &= left - 1) {
    auto const port = static_cast<std::uint8_t>(std::countr_zero(left));
    std::uint32_t const ready = inputs[port].ready;
    switch_winner const one{port, static_cast<std::uint8_t>(std::countr_zero(ready))};
    input_channel const& asking = of(one);
    bool const several = !std::has_single_bit(ready);
    if (!several && (outputs[asking.output].credited >> asking.output_channel & 1U) == 0) continue;
    std::uint64_t const bit = std::uint64_t{1} << asking.output;
    if (several || (asked & bit) != 0) {
      winners_.clear();
      return false;
    }
    asked |= bit;
    winners_.push_back(one);
  }
  for (switch_winner const& one : winners_) {
    std::uint32_t const output = of(one).output;
    outputs[output].next_input = static_cast<std::uint8_t>(one.port + 1U == ports_ ? 0 : one.port + 1);
    inputs[one.port].next_output = static_cast<std::uint8_t>(output + 1 == ports_ ? 0 : output + 1);
    inputs[one.port].next_channel = static_cast<std::uint8_t>(one.channel + 1U == channels_ ? 0 : one.channel + 1);
  }
  return true;
}

void flit_network::offer_channel(std::uint32_t port, std::uint32_t channel, std::uint32_t output, std::uint64_t& seen) {
  std::uint8_t& offered = switch_channel_[port * ports_ + output];
  std::uint64_t const bit = std::uint64_t{1} << output;
  if ((seen & bit) != 0) {
    auto const& networks = made_of_.virtual_networks;
    if (one_priority_ ||
        networks[channel_networks_[channel]].priority <= networks[channel_networks_[offered]].priority) {
      return;
    }
  }
  offered = static_cast<std::uint8_t>(channel);
  seen |= bit;
  if ((requested_outputs_ & bit) == 0) switch_requests_[output] = 0;
  requested_outputs_ |= bit;
  switch_requests_[output] |= std::uint64_t{1} << port;
}

void flit_network::request_switch(std::uint32_t router_index, std::uint32_t port) {
  std::uint32_t const port_index = router_index * ports_ + port;
  input_port const& input = inputs_[port_index];
  std::uint64_t seen = 0;
  auto const round = [&](std::uint32_t channels, auto&& may) {
    auto const one = [&](std::uint32_t channel) {
      input_channel const& asking = input_channels_[port_index * channels_ + channel];
      if (may(asking, outputs_[router_index * ports_ + asking.output]))
        offer_channel(port, channel, asking.output, seen);
    };
    std::uint32_t const later = ~0U << input.next_channel;
    for_each_bit(channels & later, one);
    for_each_bit(channels & ~later, one);
  };
  round(input.ready, [](input_channel const& asking, output_port const& output) {
    return (output.credited >> asking.output_channel & 1U) != 0;
  });
  if (!made_of_.speculative) return;
  round(input.waiting, [](input_channel const& asking, output_port const& output) {
    return (asking.may_take & output.free & output.credited) != 0;
  });
}

std::uint64_t flit_network::most_urgent_inputs(std::uint32_t output) const noexcept {
  std::uint64_t urgent = 0;
  std::uint32_t highest = 0;
  for_each_bit(switch_requests_[output], [&](std::uint32_t port) {
    std::uint8_t const network = channel_networks_[switch_channel_[port * ports_ + output]];
    std::uint32_t const priority = made_of_.virtual_networks[network].priority;
    if (urgent == 0 || priority > highest) urgent = 0;
    if (urgent == 0) highest = priority;
    if (priority == highest) urgent |= std::uint64_t{1} << port;
  });
  return urgent;
}

std::uint64_t flit_network::most_urgent_outputs(std::uint32_t port) const noexcept {
  std::uint64_t urgent = 0;
  std::uint32_t highest = 0;
  for_each_bit(switch_grants_[port], [&](std::uint32_t output) {
    std::uint8_t const network = channel_networks_[switch_channel_[port * ports_ + output]];
    std::uint32_t const priority = made_of_.virtual_networks[network].priority;
    if (urgent == 0 || priority > highest) urgent = 0;
    if (urgent == 0) highest = priority;
    if (priority == highest) urgent |= std::uint64_t{1} << output;
  });
  return urgent;
}

void flit_network::grant_switch(std::uint32_t router_index) {
  granted_inputs_ = 0;
  for_each_bit(requested_outputs_, [&](std::uint32_t output) {
    std::uint64_t const asking = one_priority_ ? switch_requests_[output] : most_urgent_inputs(output);
    std::uint32_t const port = round_robin(asking, outputs_[router_index * ports_ + output].next_input);
    std::uint64_t const bit = std::uint64_t{1} << port;
    if ((granted_inputs_ & bit) == 0) switch_grants_[port] = 0;
    granted_inputs_ |= bit;
    switch_grants_[port] |= std::uint64_t{1} << output;
  });
}

void flit_network::accept_switch(std::uint32_t router_index) {
  for_each_bit(granted_inputs_, [&](std::uint32_t port) {
    input_port& input = inputs_[router_index * ports_ + port];
    std::uint64_t const granted = one_priority_ ? switch_grants_[port] : most_urgent_outputs(port);
    std::uint32_t const output = round_robin(granted, input.next_output);
    outputs_[router_index * ports_ + output].next_input = static_cast<std::uint8_t>(port + 1 == ports_ ? 0 : port + 1);
    input.next_output = static_cast<std::uint8_t>(output + 1 == ports_ ? 0 : output + 1);
    std::uint8_t const channel = switch_channel_[port * ports_ + output];
    input.next_channel = static_cast<std::uint8_t>(channel + 1U == channels_ ? 0 : channel + 1);
    if (may_traverse(router_index, port, channel)) winners_.push_back({static_cast<std::uint8_t>(port), channel});
  });
}

bool flit_network::may_traverse(std::uint32_t router_index, std::uint32_t port, std::uint32_t channel) const {
  if ((inputs_[router_index * ports_ + port].ready >> channel & 1U) != 0) return true;  // it asked with a credit
  std::uint32_t const asked = port * channels_ + channel;
  auto const granted = std::ranges::find(granted_channels_, asked, &channel_request::input);
  if (granted == granted_channels_.end()) return false;  // it speculated in vain
  return (outputs_[router_index * ports_ + granted->output].credited & granted->granted) != 0;
}

void flit_network::traverse(std::uint32_t router_index, std::uint32_t port, std::uint32_t channel,
                            std::uint64_t cycle) {
  std::uint32_t const port_index = router_index * ports_ + port;
  std::uint32_t const index = port_index * channels_ + channel;
  input_port& input = inputs_[port_index];
  input_channel& from = input_channels_[index];
  std::uint32_t const output_index = router_index * ports_ + from.output;
  output_port& output = outputs_[output_index];

  flit const moved = buffers_[index * made_of_.buffer_flits + from.first];
  if (++from.first == made_of_.buffer_flits) from.first = 0;
  --from.count;
  output_channel& to = output_channels_[output_index * channels_ + from.output_channel];
  MACHINE_DEBUG_ASSERT(to.credits > 0);
  if (--to.credits == 0) output.credited &= ~(1U << from.output_channel);
  ++link_flits_[output_index];
  ++links_[output_index].owed;
  if (moved.head && !output.to_node) ++packets_[moved.packet].hops;
  list_at(cycle + made_of_.traversal_cycles + made_of_.link_cycles + 1)
      .flits.push_back({moved, output.target, from.output_channel, output.to_node});
  std::uint64_t const back = cycle + made_of_.link_cycles + 1 + (input.from_node ? 0 : made_of_.credit_cycles);
  list_at(back).credits.push_back({input.upstream, static_cast<std::uint8_t>(channel), input.from_node});
  flying_ += 2;
  if (recording_) [[unlikely]] {
    record(moved, output_index, cycle);
    credited_[input.upstream + (input.from_node ? outputs_.size() : 0)] = back;
  }

  if (moved.tail) {
    --links_[output_index].packets;
    output.free |= 1U << from.output_channel;
    from.output_channel = unassigned;
    if (from.count > 0) begin_packet(index, cycle + 1);
  }
  if (moved.tail || from.count == 0) {
    input.ready &= ~(1U << channel);
    if (input.ready == 0) routers_[router_index].ready_ports &= ~(std::uint64_t{1} << port);
  }
}

}  // namespace tess::machine
