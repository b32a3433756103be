// units: the input and output units of a router: flit buffers, virtual channels, and credits for the next buffers.
//
//   The allocators read this state; only the router changes it.
#pragma once

#include <bit>
#include <cstdint>

#include "machine/kernel/arena.hpp"
#include "machine/network/bits.hpp"
#include "machine/network/packet.hpp"
#include "machine/network/shape.hpp"

namespace tess::machine {

/// A virtual channel of an input port. Its flits are in a ring buffer; its packet leaves by `output`.
struct input_channel {
  static constexpr std::uint8_t unassigned = 0xff;
  std::uint8_t output = 0;
  std::uint8_t output_channel = unassigned;  ///< The virtual channel that the packet holds at `output`.
  std::uint8_t first = 0;                    ///< Position of the oldest flit in the ring; 0 if the ring is empty.
  std::uint8_t count = 0;
  std::uint32_t allowed = 0;  ///< Output channels that the packet may use, as bits.
};

struct input_unit {
  std::uint32_t waiting = 0;  ///< Channels whose packet waits for an output channel.
  std::uint32_t ready = 0;    ///< Channels that hold an output channel and have a flit.
  std::uint32_t link = 0;     ///< The link by which flits arrive and credits return.
};

struct output_unit {
  std::uint32_t free = 0;      ///< Channels that no packet holds.
  std::uint32_t credited = 0;  ///< Channels with at least one credit.
  std::uint32_t link = 0;
  bool to_node = false;
};

/// Input ports with requests, as bits.
struct router_requests {
  std::uint64_t waiting_ports = 0;  ///< Inputs with a waiting channel.
  std::uint64_t ready_ports = 0;    ///< Inputs with a ready channel.
  [[nodiscard]] bool any() const noexcept { return (waiting_ports | ready_ports) != 0; }
};

struct router_units {
  router_units(network_shape const& shape, arena& memory)
      : ports(shape.ports()),
        channels(shape.channels()),
        depth(shape.parameters().buffer_flits),
        inputs(memory.array<input_unit>(ports)),
        outputs(memory.array<output_unit>(ports)),
        input_channels(memory.array<input_channel>(std::size_t{ports} * channels)),
        credits(memory.array<std::uint8_t>(std::size_t{ports} * channels)),
        buffers(memory.array<flit>(std::size_t{ports} * channels * depth)) {}

  router_requests requests;
  std::uint32_t ports;
  std::uint32_t channels;
  std::uint32_t depth;            ///< Flits that a channel's buffer holds.
  input_unit* inputs;             ///< [port]
  output_unit* outputs;           ///< [port]
  input_channel* input_channels;  ///< [port][channel]
  std::uint8_t* credits;          ///< [output port][channel]
  flit* buffers;                  ///< [depth][port][channel]: the first slots, the most used, are adjacent.

  [[nodiscard]] input_channel& at(std::uint32_t port, std::uint32_t channel) noexcept {
    return input_channels[port * channels + channel];
  }
  [[nodiscard]] input_channel const& at(std::uint32_t port, std::uint32_t channel) const noexcept {
    return input_channels[port * channels + channel];
  }
  /// A slot in the ring buffer of an input channel.
  [[nodiscard]] flit& slot(std::uint32_t input, std::uint32_t position) const noexcept {
    return buffers[position * ports * channels + input];
  }
  [[nodiscard]] flit const& front(std::uint32_t port, std::uint32_t channel) const noexcept {
    std::uint32_t const index = port * channels + channel;
    return slot(index, input_channels[index].first);
  }

  /// Assigns a channel of its output to the packet of a waiting input channel.
  void assign(std::uint32_t port, std::uint32_t channel, std::uint32_t output_channel) noexcept {
    std::uint32_t const bit = 1U << channel;
    input_unit& input = inputs[port];
    input_channel& to = at(port, channel);
    to.output_channel = static_cast<std::uint8_t>(output_channel);
    outputs[to.output].free &= ~(1U << output_channel);
    input.waiting &= ~bit;
    input.ready |= bit;
    if (input.waiting == 0) requests.waiting_ports &= ~(std::uint64_t{1} << port);
    requests.ready_ports |= std::uint64_t{1} << port;
  }
};

}  // namespace tess::machine
