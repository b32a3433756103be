// channel_allocator: assigns virtual channels of a router's outputs to waiting packets; iSLIP with one iteration.
//
// Source    N. McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM Trans. Networking 7, 1999.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "machine/kernel/arena.hpp"
#include "machine/network/bits.hpp"
#include "machine/network/router/units.hpp"
#include "machine/network/router/workspace.hpp"

namespace tess::machine {

class channel_allocator {
 public:
  /// Workspace and memory must outlive this.
  channel_allocator(network_shape const& shape, allocation_workspace& workspace, arena& memory)
      : workspace_(workspace),
        channels_(shape.channels()),
        all_(shape.ports() * shape.channels()),
        next_output_(memory.array<std::uint16_t>(all_)),
        next_input_(memory.array<std::uint16_t>(all_)) {}

  /// The accepted requests of this cycle; valid until the next call.
  [[nodiscard]] std::span<channel_request const> allocate(router_units const& units);

  struct single_result {
    std::uint8_t port;
    std::uint8_t channel;
    std::uint8_t output_channel;
  };
  enum class single : std::uint8_t { granted, nothing_granted, several_wait };
  /// The same as allocate(), for the common case of at most one waiting packet.
  [[nodiscard]] single allocate_single(router_units const& units, single_result& result) {
    std::uint64_t const ports = units.requests.waiting_ports;
    if (ports == 0) return single::nothing_granted;
    if (!std::has_single_bit(ports)) return single::several_wait;
    auto const port = static_cast<std::uint32_t>(std::countr_zero(ports));
    std::uint32_t const waiting = units.inputs[port].waiting;
    if (!std::has_single_bit(waiting)) return single::several_wait;
    auto const channel = static_cast<std::uint32_t>(std::countr_zero(waiting));
    input_channel const& input = units.at(port, channel);
    std::uint32_t const wanted = input.allowed & units.outputs[input.output].free;
    if (wanted == 0) return single::nothing_granted;
    std::uint32_t const given = choose(port * channels_ + channel, input.output, wanted);
    move_pointers(port * channels_ + channel, input.output * channels_ + given);
    result = {static_cast<std::uint8_t>(port), static_cast<std::uint8_t>(channel), static_cast<std::uint8_t>(given)};
    return single::granted;
  }

  /// The channel that an input accepts among those granted at an output port: the next one, round robin. The pointer
  /// runs over the channels of all output ports.
  [[nodiscard]] std::uint32_t choose(std::uint32_t input, std::uint32_t port, std::uint32_t granted) const noexcept {
    std::uint32_t const ahead = next_output_[input] - port * channels_;
    return round_robin(granted, ahead < channels_ ? ahead : 0);
  }
  /// Moves the pointers after this input has accepted the grant of this output.
  void move_pointers(std::uint32_t input, std::uint32_t output) noexcept {
    next_input_[output] = static_cast<std::uint16_t>(input + 1 == all_ ? 0 : input + 1);
    next_output_[input] = static_cast<std::uint16_t>(output + 1 == all_ ? 0 : output + 1);
  }

  /// The round-robin pointers. Inputs and outputs are numbered port × channels + channel.
  [[nodiscard]] std::uint16_t& next_output(std::uint32_t input) noexcept { return next_output_[input]; }
  [[nodiscard]] std::uint16_t& next_input(std::uint32_t output) noexcept { return next_input_[output]; }

 private:
  void grant(std::uint32_t output);

  allocation_workspace& workspace_;
  std::uint32_t channels_;
  std::uint32_t all_;           ///< ports × channels
  std::uint16_t* next_output_;  ///< iSLIP accept pointers, [input]
  std::uint16_t* next_input_;   ///< iSLIP grant pointers, [output]
};

}  // namespace tess::machine
