// channel_allocator: the request, grant and accept steps of virtual-channel allocation.
#include "machine/network/router/channel_allocator.hpp"

namespace tess::machine {

std::span<channel_request const> channel_allocator::allocate(router_units const& units) {
  workspace_.assigned.clear();
  if (units.requests.waiting_ports == 0) return {};
  workspace_.channel_requests.clear();
  std::uint64_t requested_outputs = 0;
  for_each_bit(units.requests.waiting_ports, [&](std::uint32_t port) {
    for_each_bit(units.inputs[port].waiting, [&](std::uint32_t channel) {
      input_channel const& input = units.at(port, channel);
      std::uint32_t const wanted = input.allowed & units.outputs[input.output].free;
      if (wanted == 0) return;
      workspace_.channel_requests.push_back({static_cast<std::uint16_t>(port * channels_ + channel),
                                             static_cast<std::uint8_t>(port), static_cast<std::uint8_t>(channel),
                                             input.output, wanted, 0});
      requested_outputs |= std::uint64_t{1} << input.output;
    });
  });
  if (workspace_.channel_requests.size() == 1) {
    workspace_.channel_requests.front().granted = workspace_.channel_requests.front().wanted;
  } else {
    for_each_bit(requested_outputs, [&](std::uint32_t output) { grant(output); });
  }
  for (channel_request const& request : workspace_.channel_requests) {
    if (request.granted == 0) continue;
    std::uint32_t const channel = choose(request.input, request.output, request.granted);
    move_pointers(request.input, request.output * channels_ + channel);
    workspace_.assigned.push_back(request);
    workspace_.assigned.back().granted = 1U << channel;
  }
  return workspace_.assigned;
}

void channel_allocator::grant(std::uint32_t output) {
  std::uint32_t wanted = 0;
  for (channel_request const& request : workspace_.channel_requests)
    wanted |= request.output == output ? request.wanted : 0;
  for_each_bit(wanted, [&](std::uint32_t channel) {
    std::uint16_t const pointer = next_input_[output * channels_ + channel];
    channel_request* lowest = nullptr;
    channel_request* next = nullptr;  // the first one at or after the pointer; requests are sorted by input
    for (channel_request& request : workspace_.channel_requests) {
      if (request.output != output || (request.wanted >> channel & 1U) == 0) continue;
      if (lowest == nullptr) lowest = &request;
      if (next == nullptr && request.input >= pointer) next = &request;
    }
    (next != nullptr ? next : lowest)->granted |= 1U << channel;
  });
}

}  // namespace tess::machine
