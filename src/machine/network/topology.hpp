// topology: the positions of routers, the links between their ports, and the routes of packets.
//
//   Mesh and torus: one router per node, ports east, west, north, south and local; x first, then y. Nodes are numbered
//   row by row, x fastest, y growing to the south. Crossbar: one router with a local port per node.
//   On a torus a packet takes the shorter direction around each ring. The dateline of a ring is its link between the
//   last and the first column or row. Packets that still have to cross the dateline use the lower half of the virtual
//   channels, all others the upper half. So packets that wait for each other can never form a cycle around a ring.
//
// Source    W. Dally, C. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Trans.
//           Computers 36(5), 1987.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/network/parameters.hpp"

namespace tess::machine {

/// The virtual channels of its virtual network that a packet may use on its next link.
enum class channel_half : std::uint8_t { all, lower, upper };

struct route_step {
  std::uint8_t port = 0;
  channel_half half = channel_half::all;
};

/// One end of a link, or nowhere.
struct link_end {
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::uint32_t router = nowhere;
  std::uint32_t port = 0;
};

class topology {
 public:
  enum port_name : std::uint8_t { east, west, north, south, local };
  /// The most ports that a router can have: the nodes of the largest crossbar.
  static constexpr std::uint32_t ports_max = 64;

  explicit topology(network_parameters const& parameters);

  [[nodiscard]] std::uint32_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::uint32_t routers() const noexcept { return routers_; }
  [[nodiscard]] std::uint32_t ports() const noexcept { return ports_; }

  /// The router and port that a node is attached to.
  [[nodiscard]] link_end attachment(std::uint32_t node) const noexcept;
  /// The node attached to a port, or link_end::nowhere.
  [[nodiscard]] std::uint32_t node_at(std::uint32_t router, std::uint32_t port) const noexcept;
  /// The far end of the link that leaves by this port; nowhere for a local port or at the edge of a mesh.
  [[nodiscard]] link_end neighbour(std::uint32_t router, std::uint32_t port) const noexcept;
  /// The next step of a packet for `target` at this router.
  [[nodiscard]] route_step route(std::uint32_t router, std::uint32_t target) const noexcept {
    return steps_[std::size_t{router} * nodes_ + target];
  }
  /// The half of the channels for this step of a packet that came by this port, on that half.
  [[nodiscard]] channel_half half_of(route_step const& next, std::uint32_t port, channel_half came_on) const noexcept {
    bool const stays_on_ring = port < local && (port ^ 1U) == next.port;
    return keeps_class_ && stays_on_ring ? came_on : next.half;
  }
  /// The number of links between routers on the route from one node to another.
  [[nodiscard]] std::uint32_t distance(std::uint32_t from, std::uint32_t to) const noexcept;

 private:
  struct dimension_step {
    int direction;      ///< +1 or -1; 0: the packet is in its target's column or row.
    channel_half half;  ///< For a torus.
  };
  [[nodiscard]] channel_half class_of(std::uint32_t at, std::uint32_t to, std::uint32_t size,
                                      bool rises) const noexcept;
  [[nodiscard]] dimension_step along(std::uint32_t at, std::uint32_t to, std::uint32_t size) const noexcept;
  [[nodiscard]] route_step step(std::uint32_t router, std::uint32_t target) const noexcept;

  topology_kind kind_;
  ring_classes classes_;
  bool keeps_class_;
  std::uint32_t width_;
  std::uint32_t height_;
  std::uint32_t nodes_;
  std::uint32_t routers_;
  std::uint32_t ports_;
  std::vector<route_step> steps_;  ///< [router][node]
};

}  // namespace tess::machine
