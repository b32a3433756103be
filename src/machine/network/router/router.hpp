// router: a virtual-channel router with route computation, channel allocation, switch allocation and switch traversal.
//
//   A packet holds a virtual channel of an output from when its head is assigned the channel until its tail has left. A
//   flit needs a credit, that is, a free place in the next buffer.
//   Within a cycle, routers do not see each other's work: flits and credits take at least two cycles.
//
// Source    W. Dally, B. Towles, "Principles and Practices of Interconnection Networks" (2004), chapter 16.
#pragma once

#include <cstdint>

#include "machine/kernel/arena.hpp"
#include "machine/kernel/assert.hpp"
#include "machine/network/links.hpp"
#include "machine/network/packet.hpp"
#include "machine/network/router/channel_allocator.hpp"
#include "machine/network/router/switch_allocator.hpp"
#include "machine/network/router/units.hpp"
#include "machine/network/router/workspace.hpp"
#include "machine/network/schedule.hpp"
#include "machine/network/shape.hpp"

namespace tess::machine {

class router {
 public:
  /// All but the number must outlive this.
  router(network_shape const& shape, std::uint32_t number, network_links& links, schedule& events, packet_pool& packets,
         allocation_workspace& workspace, arena& memory);
  router(router&&) = default;

  void receive(flit const& arrived, std::uint32_t port, std::uint32_t channel, std::uint64_t cycle) {
    std::uint32_t const index = port * units_.channels + channel;
    input_channel& into = units_.input_channels[index];
    MACHINE_DEBUG_ASSERT(into.count < units_.depth);
    std::uint32_t last = std::uint32_t{into.first} + into.count;
    if (last >= units_.depth) last -= units_.depth;
    units_.slot(index, last) = arrived;
    if (into.count++ != 0) return;
    if (into.output_channel == input_channel::unassigned) return begin_routing(port, channel, cycle);
    units_.inputs[port].ready |= 1U << channel;
    units_.requests.ready_ports |= std::uint64_t{1} << port;
    events_.activate_router(number_);
  }
  void receive_credit(std::uint32_t port, std::uint32_t channel) noexcept {
    ++units_.credits[port * units_.channels + channel];
    units_.outputs[port].credited |= 1U << channel;
  }
  /// Ends the route computation for the packet at the front of this channel: it waits for an output channel now.
  void finish_routing(std::uint32_t port, std::uint32_t channel) {
    input_channel& routed = units_.at(port, channel);
    packet const& first = packets_[units_.front(port, channel).packet];
    route_step const step = shape_.layout().route(number_, first.target);
    routed.output = step.port;
    routed.allowed = channels_for(first, step, port, channel);
    units_.inputs[port].waiting |= 1U << channel;
    units_.requests.waiting_ports |= std::uint64_t{1} << port;
    events_.activate_router(number_);
  }
  /// Allocates channels and the switch, and moves flits.
  void step(std::uint64_t cycle);

  /// For the fast path: the effect of an uncontended packet on the round-robin pointers, with what undoes it.
  struct uncontended_pass {
    std::uint8_t port;
    std::uint8_t channel;
    std::uint8_t output;
    std::uint8_t output_channel;
    std::uint16_t channel_next_output;
    std::uint16_t channel_next_input;
    std::uint8_t switch_next_input;
    switch_allocator::input_pointers switch_pointers;
  };
  /// A packet arrives by this channel and leaves without contention.
  uncontended_pass pass_uncontended(packet const& passing, std::uint32_t port, std::uint32_t channel);
  void undo(uncontended_pass const& passed) noexcept;

  /// Calls f with every round-robin pointer that packets of these channels move at an input, or at an output.
  template <class F>
  void for_each_input_pointer(std::uint32_t port, std::uint32_t channels, F&& f) {
    f(switch_.pointers(port).next_output);
    f(switch_.pointers(port).next_channel);
    for_each_bit(channels, [&](std::uint32_t channel) { f(channels_.next_output(port * units_.channels + channel)); });
  }
  template <class F>
  void for_each_output_pointer(std::uint32_t port, std::uint32_t channels, F&& f) {
    f(switch_.next_input(port));
    for_each_bit(channels, [&](std::uint32_t channel) { f(channels_.next_input(port * units_.channels + channel)); });
  }

  /// suspend() removes the requests of all packets that are here, so that others can be simulated without them.
  [[nodiscard]] router_requests suspend() noexcept { return std::exchange(units_.requests, {}); }
  void resume(router_requests const& suspended) noexcept {
    units_.requests.waiting_ports |= suspended.waiting_ports;
    units_.requests.ready_ports |= suspended.ready_ports;
  }

 private:
  void begin_routing(std::uint32_t port, std::uint32_t channel, std::uint64_t cycle) {
    if (routing_cycles_ == 0) return finish_routing(port, channel);
    events_.add(cycle + routing_cycles_ - 1,
                schedule::finished_route{number_, static_cast<std::uint8_t>(port), static_cast<std::uint8_t>(channel)});
  }
  [[nodiscard]] std::uint32_t channels_for(packet const& of, route_step const& step, std::uint32_t port,
                                           std::uint32_t channel) const noexcept {
    return shape_.allowed_channels(of.network, shape_.layout().half_of(step, port, shape_.half_of(channel)));
  }
  void allocate_channels();
  void cross_switch(std::uint32_t port, std::uint32_t channel, std::uint64_t cycle);

  network_shape const& shape_;
  network_links& links_;
  schedule& events_;
  packet_pool& packets_;
  std::uint32_t number_;
  std::uint32_t routing_cycles_;
  bool speculative_;
  router_units units_;
  channel_allocator channels_;
  switch_allocator switch_;
};

}  // namespace tess::machine
