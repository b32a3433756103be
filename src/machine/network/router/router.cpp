// router: the order of the stages in a cycle, and the effects of a flit that crosses the switch.
#include "machine/network/router/router.hpp"

#include <bit>

namespace tess::machine {

router::router(network_shape const& shape, std::uint32_t number, network_links& links, schedule& events,
               packet_pool& packets, allocation_workspace& workspace, arena& memory)
    : shape_(shape),
      links_(links),
      events_(events),
      packets_(packets),
      number_(number),
      routing_cycles_(shape.parameters().routing_cycles),
      speculative_(shape.parameters().speculative),
      units_(shape, memory),
      channels_(shape, workspace, memory),
      switch_(shape, workspace, memory) {
  std::uint32_t const every_channel = lowest_bits(units_.channels);
  for (std::uint32_t port = 0; port < units_.ports; ++port) {
    std::uint32_t const out = shape.link(number, port);
    link_ends const& ends = shape.ends(out);
    if (ends.target == link_end::nowhere) continue;
    link_end const neighbour = shape.layout().neighbour(number, port);
    units_.inputs[port].link =
        ends.to_node ? shape.node_link(ends.target) : shape.link(neighbour.router, neighbour.port);
    units_.outputs[port] = {every_channel, every_channel, out, ends.to_node};
    for (std::uint32_t channel = 0; channel < units_.channels; ++channel)
      units_.credits[port * units_.channels + channel] = static_cast<std::uint8_t>(units_.depth);
  }
}

void router::step(std::uint64_t cycle) {
  std::span<switch_grant const> crossing;
  if (speculative_) {
    std::span<channel_request const> const assigned = channels_.allocate(units_);
    crossing = switch_.allocate(units_, assigned);
    for (channel_request const& one : assigned)
      units_.assign(one.port, one.channel, static_cast<std::uint32_t>(std::countr_zero(one.granted)));
  } else {
    // The switch is allocated first: it serves packets that held a channel before this cycle.
    crossing = switch_.allocate(units_, {});
    allocate_channels();
  }
  for (switch_grant const& one : crossing) cross_switch(one.port, one.channel, cycle);
  if (!units_.requests.any()) events_.deactivate_router(number_);
}

void router::allocate_channels() {
  channel_allocator::single_result one{};
  switch (channels_.allocate_single(units_, one)) {
    case channel_allocator::single::granted:
      return units_.assign(one.port, one.channel, one.output_channel);
    case channel_allocator::single::nothing_granted:
      return;
    case channel_allocator::single::several_wait:
      for (channel_request const& each : channels_.allocate(units_))
        units_.assign(each.port, each.channel, static_cast<std::uint32_t>(std::countr_zero(each.granted)));
  }
}

void router::cross_switch(std::uint32_t port, std::uint32_t channel, std::uint64_t cycle) {
  std::uint32_t const index = port * units_.channels + channel;
  input_unit& input = units_.inputs[port];
  input_channel& from = units_.input_channels[index];
  output_unit& output = units_.outputs[from.output];

  flit const moved = units_.slot(index, from.first);
  if (--from.count == 0 || ++from.first == units_.depth) from.first = 0;
  std::uint8_t& credits = units_.credits[from.output * units_.channels + from.output_channel];
  MACHINE_DEBUG_ASSERT(credits > 0);
  if (--credits == 0) output.credited &= ~(1U << from.output_channel);
  if (moved.head && !output.to_node) ++packets_[moved.packet].hops;
  links_.send(output.link, moved, from.output_channel, cycle);
  links_.return_credit(input.link, static_cast<std::uint8_t>(channel), cycle);

  if (moved.tail) {
    links_.remove_packet(output.link);
    output.free |= 1U << from.output_channel;
    from.output_channel = input_channel::unassigned;
    if (from.count > 0) begin_routing(port, channel, cycle + 1);
  }
  if (moved.tail || from.count == 0) {
    input.ready &= ~(1U << channel);
    if (input.ready == 0) units_.requests.ready_ports &= ~(std::uint64_t{1} << port);
  }
}

router::uncontended_pass router::pass_uncontended(packet const& passing, std::uint32_t port, std::uint32_t channel) {
  route_step const step = shape_.layout().route(number_, passing.target);
  std::uint32_t const input = port * units_.channels + channel;
  uncontended_pass passed{static_cast<std::uint8_t>(port),
                          static_cast<std::uint8_t>(channel),
                          step.port,
                          0,
                          channels_.next_output(input),
                          0,
                          switch_.next_input(step.port),
                          switch_.pointers(port)};
  std::uint32_t const taken = channels_.choose(input, step.port, channels_for(passing, step, port, channel));
  std::uint32_t const output = step.port * units_.channels + taken;
  passed.output_channel = static_cast<std::uint8_t>(taken);
  passed.channel_next_input = channels_.next_input(output);
  channels_.move_pointers(input, output);
  switch_.move_pointers(port, channel, step.port);
  return passed;
}

void router::undo(uncontended_pass const& passed) noexcept {
  channels_.next_output(passed.port * units_.channels + passed.channel) = passed.channel_next_output;
  channels_.next_input(passed.output * units_.channels + passed.output_channel) = passed.channel_next_input;
  switch_.next_input(passed.output) = passed.switch_next_input;
  switch_.pointers(passed.port) = passed.switch_pointers;
}

}  // namespace tess::machine
