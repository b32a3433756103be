// event_nodes: a load for event kernels: nodes that repeatedly wait for 1 to 3 cycles.
//
// Units     million events per second of host time.
// Source    the load of `bench/simulator/kernel.cpp`: 256 nodes, delays from a generator per node.
#pragma once

#include <cstdint>

namespace bench {

inline constexpr std::uint64_t event_period_ps = 1000;

/// Delays of one node, in cycles: 1 to 3, the same sequence for every kernel.
class node_delays {
 public:
  explicit node_delays(std::uint32_t node) noexcept : state_(node * 2654435761U + 1) {}
  std::uint32_t next() noexcept {
    state_ = state_ * 1664525U + 1013904223U;
    return 1 + ((state_ >> 16U) * 3U >> 16U);
  }

 private:
  std::uint32_t state_;
};

/// Processes of our kernel.
[[nodiscard]] double process_events(std::uint32_t nodes, std::uint64_t events);
/// Devices of our kernel without a process.
[[nodiscard]] double device_events(std::uint32_t nodes, std::uint64_t events);

/// SystemC's SC_METHODs. Its kernel can be built only once per program, so the first call determines the number of
/// nodes.
[[nodiscard]] double systemc_events(std::uint32_t nodes, std::uint64_t events);

}  // namespace bench
