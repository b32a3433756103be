// parameters: what a network is made of; the [network] table of a machine file.
//
// Units     cycles of the network's clock, bytes, flits. A flit is as wide as a link.
// Source    the router's stages are those of W. Dally, B. Towles, "Principles and Practices of Interconnection
// Networks"
//           (2004), chapter 16: route computation, VC allocation, switch allocation, switch traversal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tess::machine {

enum class topology_kind : std::uint8_t { mesh, torus, crossbar };

/// A virtual network: buffers of its own, so that what waits in one never holds back another.
struct virtual_network {
  std::uint32_t channels = 1;  ///< Virtual channels. On a torus an even number: half of them before the dateline.
  std::uint32_t priority = 0;  ///< The larger one wins a link. Equal ones share it.
  std::uint32_t receive_packets = 0;  ///< That a node takes in before it must have released one; 0: any number.
};

struct network_parameters {
  topology_kind topology = topology_kind::mesh;
  std::uint32_t width = 1;   ///< Routers in a row, or all nodes of a crossbar together with height.
  std::uint32_t height = 1;  ///< Rows.
  std::vector<virtual_network> virtual_networks{{}};
  std::uint32_t buffer_flits = 8;      ///< Per virtual channel.
  std::uint32_t link_bytes = 4;        ///< Width of a link.
  std::uint32_t routing_cycles = 1;    ///< 0: the router before has already done it (look-ahead).
  bool speculative = false;            ///< Switch allocation beside VC allocation, not after it.
  std::uint32_t traversal_cycles = 1;  ///< Of the switch.
  std::uint32_t link_cycles = 1;       ///< Of a link, also of those between node and router.
  std::uint32_t credit_cycles = 1;     ///< To take in a credit that has arrived.

  [[nodiscard]] std::uint32_t nodes() const noexcept { return width * height; }
  [[nodiscard]] std::uint32_t flits(std::size_t bytes) const noexcept {
    return bytes == 0 ? 1 : static_cast<std::uint32_t>((bytes + link_bytes - 1) / link_bytes);
  }
  /// Cycles from router to router for a head flit that meets no other.
  [[nodiscard]] std::uint32_t hop_cycles() const noexcept {
    return routing_cycles + (speculative ? 1 : 2) + traversal_cycles + link_cycles;
  }
  /// Cycles for a packet of `flits` over `links` between routers, when the network is empty otherwise.
  [[nodiscard]] std::uint64_t zero_load_cycles(std::uint32_t links, std::uint32_t flits) const noexcept {
    // The way into the first router and the way out of the last one, each with its link, enclose the hops.
    return std::uint64_t{links} * hop_cycles() + hop_cycles() + link_cycles + 1 + flits - 1;
  }
};

}  // namespace tess::machine
