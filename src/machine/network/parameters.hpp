// parameters: topology, virtual networks, buffers and router stages of a network; table [network] of a machine file.
//
// Units     cycles of the network's clock, bytes, flits. A flit is as wide as a link.
// Source    W. Dally, B. Towles, "Principles and Practices of Interconnection Networks" (2004), chapter 16, for the
//           stages of a router: route computation, VC allocation, switch allocation, switch traversal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tess::machine {

enum class topology_kind : std::uint8_t { mesh, torus, crossbar };

/// Which half of its virtual channels a packet uses on a ring of a torus, so that rings do not deadlock.
enum class ring_classes : std::uint8_t {
  dateline,  ///< Lower until it has crossed the dateline, upper from there on: Dally and Seitz.
  route,     ///< Lower on all of the ring if its route crosses the dateline, upper otherwise.
  balanced,  ///< The same with a second dateline half a ring away: upper if its route crosses that, any if neither.
};

/// A virtual network has its own buffers, so that packets that wait in one never block another.
struct virtual_network {
  std::uint32_t channels = 1;         ///< Virtual channels. Even on a torus: half of them are used before the dateline.
  std::uint32_t priority = 0;         ///< The larger one wins a link. Equal priorities share it.
  std::uint32_t receive_packets = 0;  ///< Packets that a node holds at most before it releases one; 0: no limit.
};

struct network_parameters {
  topology_kind topology = topology_kind::mesh;
  std::uint32_t width = 1;   ///< Routers in a row, or all nodes of a crossbar together with height.
  std::uint32_t height = 1;  ///< Rows.
  std::vector<virtual_network> virtual_networks{{}};
  std::uint32_t buffer_flits = 8;      ///< Per virtual channel.
  std::uint32_t link_bytes = 4;        ///< Width of a link.
  std::uint32_t routing_cycles = 1;    ///< 0: look-ahead, the router before has computed the route.
  bool speculative = false;            ///< Switch allocation in parallel with VC allocation, not after it.
  std::uint32_t traversal_cycles = 1;  ///< To cross the switch.
  std::uint32_t link_cycles = 1;       ///< To cross a link, also one between a node and its router.
  std::uint32_t credit_cycles = 1;     ///< To process a credit that has arrived.
  ring_classes classes = ring_classes::dateline;
  std::uint32_t ring_link_cycles = 0;  ///< To cross a link between two routers of a torus; 0: as other links.

  [[nodiscard]] std::uint32_t nodes() const noexcept { return width * height; }
  [[nodiscard]] std::uint32_t flits(std::size_t bytes) const noexcept {
    return bytes == 0 ? 1 : static_cast<std::uint32_t>((bytes + link_bytes - 1) / link_bytes);
  }
  /// Cycles from router to router for an uncontended head flit.
  [[nodiscard]] std::uint32_t hop_cycles() const noexcept {
    return routing_cycles + (speculative ? 1 : 2) + traversal_cycles + between_routers_cycles();
  }
  [[nodiscard]] std::uint32_t between_routers_cycles() const noexcept {
    return ring_link_cycles != 0 ? ring_link_cycles : link_cycles;
  }
  /// Cycles for a packet of `flits` over `links` between routers, in an otherwise empty network.
  [[nodiscard]] std::uint64_t zero_load_cycles(std::uint32_t links, std::uint32_t flits) const noexcept {
    // Besides the hops: the last router with the link to the target, and the link from the source.
    std::uint64_t const last = hop_cycles() - between_routers_cycles() + link_cycles;
    return std::uint64_t{links} * hop_cycles() + last + link_cycles + 1 + flits - 1;
  }
  /// The least number of cycles for a packet to another node: the nodes of a crossbar share its router.
  [[nodiscard]] std::uint64_t to_another_node_cycles() const noexcept {
    return zero_load_cycles(topology == topology_kind::crossbar ? 0 : 1, 1);
  }
};

}  // namespace tess::machine
