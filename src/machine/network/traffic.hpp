// traffic: a synthetic load on a network, and its measurement: mean latency and accepted rate at an offered rate.
//
//   Every node creates packets at random times (Bernoulli process) for targets of a pattern. Latency counts from the
//   creation of a packet to the arrival of its tail, and includes the wait at the source. The measurement ends when all
//   packets created during the measured cycles have arrived.
//
// Units     rates in flits per node and cycle; latencies in cycles.
// Source    the patterns of W. Dally, B. Towles, "Principles and Practices of Interconnection Networks", table 3.1;
//           `uniform` includes the source itself, as BookSim2's does.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/network/flit_network.hpp"

namespace tess::machine {

enum class traffic_pattern : std::uint8_t { uniform, transpose, bit_complement, tornado, neighbour, hotspot };

struct traffic {
  traffic_pattern pattern = traffic_pattern::uniform;
  double rate = 0.1;
  std::uint32_t flits = 1;  ///< Per packet.
  std::uint64_t warm_up_cycles = 10'000;
  std::uint64_t measured_cycles = 30'000;
  std::uint64_t seed = 1;
  double latency_max = 500;  ///< The network is saturated if the mean is above this.
};

struct traffic_result {
  double latency = 0;          ///< Mean, from creation.
  double network_latency = 0;  ///< Mean, from the cycle in which the head left the node.
  double accepted_rate = 0;
  double hops = 0;  ///< Mean number of links between routers.
  std::uint64_t packets = 0;
  std::uint64_t cycles = 0;  ///< All that were simulated.
  bool saturated = false;
};

[[nodiscard]] traffic_result measure(network_parameters const& network, traffic const& load);

}  // namespace tess::machine
