// switch_allocator: decides which flits cross a router's switch in a cycle; iSLIP with one iteration.
//
//   Each input offers one channel to each output: the next one, round robin, among those of the highest priority.
//   Channels that hold an output channel go before those that speculate on getting one. Outputs grant, then inputs
//   accept.
//
// Source    N. McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM Trans. Networking 7, 1999;
//           L. Peh, W. Dally, "A delay model and speculative architecture for pipelined routers", HPCA 2001.
#pragma once

#include <cstdint>
#include <span>

#include "machine/kernel/arena.hpp"
#include "machine/network/router/units.hpp"
#include "machine/network/router/workspace.hpp"

namespace tess::machine {

class switch_allocator {
 public:
  /// Round-robin pointers of an input.
  struct input_pointers {
    std::uint8_t next_output = 0;
    std::uint8_t next_channel = 0;  ///< The channel that is offered first.
  };

  /// All three must outlive this.
  switch_allocator(network_shape const& shape, allocation_workspace& workspace, arena& memory)
      : shape_(shape),
        workspace_(workspace),
        ports_(shape.ports()),
        channels_(shape.channels()),
        speculative_(shape.parameters().speculative),
        equal_priorities_(shape.equal_priorities()),
        inputs_(memory.array<input_pointers>(ports_)),
        next_input_(memory.array<std::uint8_t>(ports_)) {}

  /// The flits that cross the switch in this cycle; valid until the next call. `assigned`: the channels that are
  /// assigned in this cycle, if the router speculates. A flit whose packet held no channel crosses only with one of
  /// these.
  [[nodiscard]] std::span<switch_grant const> allocate(router_units const& units,
                                                       std::span<channel_request const> assigned);

  /// Moves the pointers after this input has accepted the grant of this output.
  void move_pointers(std::uint32_t port, std::uint32_t channel, std::uint32_t output) noexcept {
    next_input_[output] = static_cast<std::uint8_t>(port + 1 == ports_ ? 0 : port + 1);
    inputs_[port] = {static_cast<std::uint8_t>(output + 1 == ports_ ? 0 : output + 1),
                     static_cast<std::uint8_t>(channel + 1 == channels_ ? 0 : channel + 1)};
  }

  [[nodiscard]] input_pointers& pointers(std::uint32_t input) noexcept { return inputs_[input]; }
  [[nodiscard]] std::uint8_t& next_input(std::uint32_t output) noexcept { return next_input_[output]; }

 private:
  [[nodiscard]] bool grant_disjoint(router_units const& units);
  void request(router_units const& units, std::uint32_t port);
  void offer(std::uint32_t port, std::uint32_t channel, std::uint32_t output, std::uint64_t& offered);
  void grant();
  void accept(router_units const& units, std::span<channel_request const> assigned);
  [[nodiscard]] std::uint64_t most_urgent_inputs(std::uint32_t output) const noexcept;
  [[nodiscard]] std::uint64_t most_urgent_outputs(std::uint32_t port) const noexcept;
  [[nodiscard]] bool may_cross(router_units const& units, std::span<channel_request const> assigned, std::uint32_t port,
                               std::uint32_t channel) const;

  network_shape const& shape_;
  allocation_workspace& workspace_;
  std::uint32_t ports_;
  std::uint32_t channels_;
  bool speculative_;
  bool equal_priorities_;
  input_pointers* inputs_;    ///< [input]
  std::uint8_t* next_input_;  ///< [output]
};

}  // namespace tess::machine
