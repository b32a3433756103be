// switch_allocator: the request, grant and accept steps, and a shortcut for requests without conflicts.
#include "machine/network/router/switch_allocator.hpp"

#include <algorithm>
#include <bit>

namespace tess::machine {

std::span<switch_grant const> switch_allocator::allocate(router_units const& units,
                                                         std::span<channel_request const> assigned) {
  workspace_.crossing.clear();
  router_requests const& asking = units.requests;
  std::uint64_t const ports = speculative_ ? asking.ready_ports | asking.waiting_ports : asking.ready_ports;
  if (ports == 0) return {};
  if (!speculative_ && grant_disjoint(units)) return workspace_.crossing;
  workspace_.requested_outputs = 0;
  for_each_bit(ports, [&](std::uint32_t port) { request(units, port); });
  if (workspace_.requested_outputs == 0) return {};
  grant();
  accept(units, assigned);
  return workspace_.crossing;
}

/// Does what request(), grant() and accept() do, if no input has several ready channels and no two inputs request the
/// same output. Otherwise returns false and changes nothing.
bool switch_allocator::grant_disjoint(router_units const& units) {
  std::uint64_t requested = 0;
  for (std::uint64_t left = units.requests.ready_ports; left != 0; left &= left - 1) {
    auto const port = static_cast<std::uint8_t>(std::countr_zero(left));
    std::uint32_t const ready = units.inputs[port].ready;
    auto const channel = static_cast<std::uint8_t>(std::countr_zero(ready));
    input_channel const& asking = units.at(port, channel);
    bool const several = !std::has_single_bit(ready);
    if (!several && (units.outputs[asking.output].credited >> asking.output_channel & 1U) == 0) continue;
    std::uint64_t const bit = std::uint64_t{1} << asking.output;
    if (several || (requested & bit) != 0) {
      workspace_.crossing.clear();
      return false;
    }
    requested |= bit;
    workspace_.crossing.push_back({port, channel});
  }
  for (switch_grant const& one : workspace_.crossing)
    move_pointers(one.port, one.channel, units.at(one.port, one.channel).output);
  return true;
}

void switch_allocator::request(router_units const& units, std::uint32_t port) {
  input_unit const& input = units.inputs[port];
  std::uint64_t offered = 0;
  auto const offer_those = [&](std::uint32_t channels, auto&& may) {
    auto const offer_one = [&](std::uint32_t channel) {
      input_channel const& asking = units.at(port, channel);
      if (may(asking, units.outputs[asking.output])) offer(port, channel, asking.output, offered);
    };
    std::uint32_t const at_or_after = ~0U << inputs_[port].next_channel;
    for_each_bit(channels & at_or_after, offer_one);
    for_each_bit(channels & ~at_or_after, offer_one);
  };
  offer_those(input.ready, [](input_channel const& asking, output_unit const& output) {
    return (output.credited >> asking.output_channel & 1U) != 0;
  });
  if (!speculative_) return;
  offer_those(input.waiting, [](input_channel const& asking, output_unit const& output) {
    return (asking.allowed & output.free & output.credited) != 0;
  });
}

void switch_allocator::offer(std::uint32_t port, std::uint32_t channel, std::uint32_t output, std::uint64_t& offered) {
  std::uint8_t& best = workspace_.offered_channel[port * ports_ + output];
  std::uint64_t const bit = std::uint64_t{1} << output;
  if ((offered & bit) != 0 && (equal_priorities_ || shape_.priority_of(channel) <= shape_.priority_of(best))) {
    return;
  }
  best = static_cast<std::uint8_t>(channel);
  offered |= bit;
  if ((workspace_.requested_outputs & bit) == 0) workspace_.switch_requests[output] = 0;
  workspace_.requested_outputs |= bit;
  workspace_.switch_requests[output] |= std::uint64_t{1} << port;
}

std::uint64_t switch_allocator::most_urgent_inputs(std::uint32_t output) const noexcept {
  std::uint64_t urgent = 0;
  std::uint32_t highest = 0;
  for_each_bit(workspace_.switch_requests[output], [&](std::uint32_t port) {
    std::uint32_t const priority = shape_.priority_of(workspace_.offered_channel[port * ports_ + output]);
    if (urgent == 0 || priority > highest) urgent = 0;
    if (urgent == 0) highest = priority;
    if (priority == highest) urgent |= std::uint64_t{1} << port;
  });
  return urgent;
}

std::uint64_t switch_allocator::most_urgent_outputs(std::uint32_t port) const noexcept {
  std::uint64_t urgent = 0;
  std::uint32_t highest = 0;
  for_each_bit(workspace_.switch_grants[port], [&](std::uint32_t output) {
    std::uint32_t const priority = shape_.priority_of(workspace_.offered_channel[port * ports_ + output]);
    if (urgent == 0 || priority > highest) urgent = 0;
    if (urgent == 0) highest = priority;
    if (priority == highest) urgent |= std::uint64_t{1} << output;
  });
  return urgent;
}

void switch_allocator::grant() {
  workspace_.granted_inputs = 0;
  for_each_bit(workspace_.requested_outputs, [&](std::uint32_t output) {
    std::uint64_t const inputs = equal_priorities_ ? workspace_.switch_requests[output] : most_urgent_inputs(output);
    std::uint32_t const port = round_robin(inputs, next_input_[output]);
    std::uint64_t const bit = std::uint64_t{1} << port;
    if ((workspace_.granted_inputs & bit) == 0) workspace_.switch_grants[port] = 0;
    workspace_.granted_inputs |= bit;
    workspace_.switch_grants[port] |= std::uint64_t{1} << output;
  });
}

void switch_allocator::accept(router_units const& units, std::span<channel_request const> assigned) {
  for_each_bit(workspace_.granted_inputs, [&](std::uint32_t port) {
    std::uint64_t const outputs = equal_priorities_ ? workspace_.switch_grants[port] : most_urgent_outputs(port);
    std::uint32_t const output = round_robin(outputs, inputs_[port].next_output);
    std::uint8_t const channel = workspace_.offered_channel[port * ports_ + output];
    move_pointers(port, channel, output);
    if (may_cross(units, assigned, port, channel))
      workspace_.crossing.push_back({static_cast<std::uint8_t>(port), channel});
  });
}

/// A flit that speculated crosses only if its packet was assigned a channel with a credit in this cycle.
bool switch_allocator::may_cross(router_units const& units, std::span<channel_request const> assigned,
                                 std::uint32_t port, std::uint32_t channel) const {
  if ((units.inputs[port].ready >> channel & 1U) != 0) return true;  // not speculative: request() checked its credit
  std::uint32_t const input = port * channels_ + channel;
  auto const given = std::ranges::find(assigned, input, &channel_request::input);
  if (given == assigned.end()) return false;
  return (units.outputs[given->output].credited & given->granted) != 0;
}

}  // namespace tess::machine
