// workspace: the intermediate results of allocation in one router and cycle.
//
//   All routers of a network share one, because they work one after the other: the state of all routers should fit into
//   a first-level cache.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/network/shape.hpp"

namespace tess::machine {

/// A packet in an input channel requests a virtual channel of an output.
struct channel_request {
  std::uint16_t input;  ///< port × channels + channel.
  std::uint8_t port;
  std::uint8_t channel;
  std::uint8_t output;
  std::uint32_t wanted;   ///< Allowed channels that are free, as bits.
  std::uint32_t granted;  ///< As bits; exactly one in an accepted request.
};

/// The front flit of this input channel crosses the switch.
struct switch_grant {
  std::uint8_t port;
  std::uint8_t channel;
};

struct allocation_workspace {
  explicit allocation_workspace(network_shape const& shape)
      : offered_channel(std::size_t{shape.ports()} * shape.ports()),
        switch_requests(shape.ports()),
        switch_grants(shape.ports()) {}

  std::vector<channel_request> channel_requests;
  std::vector<channel_request> assigned;       ///< Accepted channel requests.
  std::vector<std::uint8_t> offered_channel;   ///< [input][output]
  std::vector<std::uint64_t> switch_requests;  ///< [output]: inputs that request it, as bits.
  std::vector<std::uint64_t> switch_grants;    ///< [input]: outputs that granted, as bits.
  std::uint64_t requested_outputs = 0;
  std::uint64_t granted_inputs = 0;
  std::vector<switch_grant> crossing;  ///< Accepted switch grants.
};

}  // namespace tess::machine
