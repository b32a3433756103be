// channel_allocation: heads that wait in a router ask for a virtual channel of their output; iSLIP, one iteration.
#include "machine/network/bits.hpp"
#include "machine/network/flit_network.hpp"

namespace tess::machine {

void flit_network::allocate_channels(std::uint32_t router_index) {
  granted_channels_.clear();
  if (routers_[router_index].waiting_ports == 0) return;
  requests_.clear();
  std::uint64_t asked_outputs = 0;
  for_each_bit(routers_[router_index].waiting_ports, [&](std::uint32_t port) {
    std::uint32_t const port_index = router_index * ports_ + port;
    for_each_bit(inputs_[port_index].waiting, [&](std::uint32_t channel) {
      input_channel const& input = input_channels_[port_index * channels_ + channel];
      std::uint32_t const wanted = input.may_take & outputs_[router_index * ports_ + input.output].free;
      if (wanted == 0) return;
      requests_.push_back({static_cast<std::uint16_t>(port * channels_ + channel), static_cast<std::uint8_t>(port),
                           static_cast<std::uint8_t>(channel), input.output, wanted, 0});
      asked_outputs |= std::uint64_t{1} << input.output;
    });
  });
  if (requests_.size() == 1) {
    requests_.front().granted = requests_.front().wanted;
  } else {
    for_each_bit(asked_outputs, [&](std::uint32_t output) { grant_channels(router_index, output); });
  }
  for (channel_request& asked : requests_) {
    if (asked.granted != 0) accept_channel(router_index, asked);
  }
}

bool flit_network::give_lone_channel(std::uint32_t router_index) {
  router& of = routers_[router_index];
  if (!std::has_single_bit(of.waiting_ports)) return of.waiting_ports == 0;
  auto const port = static_cast<std::uint32_t>(std::countr_zero(of.waiting_ports));
  input_port& from = inputs_[router_index * ports_ + port];
  if (!std::has_single_bit(from.waiting)) return false;
  std::uint32_t const asked = port * channels_ + static_cast<std::uint32_t>(std::countr_zero(from.waiting));
  std::uint32_t const all = ports_ * channels_;
  input_channel& input = input_channels_[router_index * all + asked];
  output_port& output = outputs_[router_index * ports_ + input.output];
  std::uint32_t const wanted = input.may_take & output.free;
  if (wanted == 0) return true;
  std::uint32_t const behind = input.grant_pointer - input.output * channels_;
  std::uint32_t const channel = round_robin(wanted, behind < channels_ ? behind : 0);
  std::uint32_t const given = input.output * channels_ + channel;
  output_channels_[router_index * all + given].next_input =
      static_cast<std::uint16_t>(asked + 1 == all ? 0 : asked + 1);
  input.grant_pointer = static_cast<std::uint16_t>(given + 1 == all ? 0 : given + 1);
  input.output_channel = static_cast<std::uint8_t>(channel);
  output.free &= ~(1U << channel);
  from.ready |= from.waiting;
  from.waiting = 0;
  of.waiting_ports = 0;
  of.ready_ports |= std::uint64_t{1} << port;
  return true;
}

void flit_network::grant_channels(std::uint32_t router_index, std::uint32_t output) {
  std::uint32_t wanted = 0;
  for (channel_request const& asked : requests_) wanted |= asked.output == output ? asked.wanted : 0;
  for_each_bit(wanted, [&](std::uint32_t channel) {
    std::uint16_t const pointer = output_channels_[(router_index * ports_ + output) * channels_ + channel].next_input;
    channel_request* first = nullptr;  // of all
    channel_request* next = nullptr;   // at or behind the pointer; requests are in order of their inputs
    for (channel_request& asked : requests_) {
      if (asked.output != output || (asked.wanted >> channel & 1U) == 0) continue;
      if (first == nullptr) first = &asked;
      if (next == nullptr && asked.input >= pointer) next = &asked;
    }
    (next != nullptr ? next : first)->granted |= 1U << channel;
  });
}

void flit_network::accept_channel(std::uint32_t router_index, channel_request& asked) {
  std::uint32_t const all = ports_ * channels_;
  input_channel& input = input_channels_[router_index * all + asked.input];
  // The pointer runs over the channels of all outputs; the grants are of one.
  std::uint32_t const behind = input.grant_pointer - asked.output * channels_;
  std::uint32_t const channel = round_robin(asked.granted, behind < channels_ ? behind : 0);
  output_channel& output = output_channels_[(router_index * ports_ + asked.output) * channels_ + channel];
  auto const next = [all](std::uint32_t one) { return static_cast<std::uint16_t>(one + 1 == all ? 0 : one + 1); };
  output.next_input = next(asked.input);
  input.grant_pointer = next(asked.output * channels_ + channel);
  granted_channels_.push_back(asked);
  granted_channels_.back().granted = 1U << channel;
}

void flit_network::take_granted_channels(std::uint32_t router_index) {
  for (channel_request const& granted : granted_channels_) {
    std::uint32_t const port = granted.port;
    std::uint32_t const bit = 1U << granted.channel;
    input_port& input = inputs_[router_index * ports_ + port];
    input_channels_[router_index * ports_ * channels_ + granted.input].output_channel =
        static_cast<std::uint8_t>(std::countr_zero(granted.granted));
    outputs_[router_index * ports_ + granted.output].free &= ~granted.granted;
    input.waiting &= ~bit;
    input.ready |= bit;
    if (input.waiting == 0) routers_[router_index].waiting_ports &= ~(std::uint64_t{1} << port);
    routers_[router_index].ready_ports |= std::uint64_t{1} << port;
  }
}

}  // namespace tess::machine
