// topology: which router is where, what its ports lead to, and the route of a packet.
//
//   Mesh and torus: one router per node, ports east, west, north, south and local; x first, then y. Nodes are numbered
//   row by row, x fastest, y growing to the south. Crossbar: one router with a local port per node.
//   On a torus a packet takes the shorter way. A channel before the dateline (the link from the last column to the
//   first, or between the last and first rows) is of the lower half of the virtual channels, one behind it of the upper
//   half. The half follows from where the packet is and where it goes: lower as long as the dateline is still ahead.
//   So no chain of waiting channels can close around a ring.
//
// Source    W. Dally, C. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Trans.
//           Computers 36(5), 1987.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/network/parameters.hpp"

namespace tess::machine {

/// Which virtual channels of its virtual network a packet may take for its next link.
enum class channel_half : std::uint8_t { all, lower, upper };

struct route_step {
  std::uint8_t port = 0;
  channel_half half = channel_half::all;
};

/// One end of a link, or nothing.
struct link_end {
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::uint32_t router = nowhere;
  std::uint32_t port = 0;
};

class topology {
 public:
  enum port_name : std::uint8_t { east, west, north, south, local };
  /// Most ports a router can have: the nodes of the largest crossbar.
  static constexpr std::uint32_t ports_max = 64;

  explicit topology(network_parameters const& parameters);

  [[nodiscard]] std::uint32_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::uint32_t routers() const noexcept { return routers_; }
  [[nodiscard]] std::uint32_t ports() const noexcept { return ports_; }

  /// Where a node is attached.
  [[nodiscard]] link_end attachment(std::uint32_t node) const noexcept;
  /// The node attached to a port, or link_end::nowhere.
  [[nodiscard]] std::uint32_t node_at(std::uint32_t router, std::uint32_t port) const noexcept;
  /// Where the link that leaves by this port arrives; nowhere for a local port or at the edge of a mesh.
  [[nodiscard]] link_end neighbour(std::uint32_t router, std::uint32_t port) const noexcept;
  /// The next step of a packet for `target` at this router.
  [[nodiscard]] route_step route(std::uint32_t router, std::uint32_t target) const noexcept {
    return steps_[std::size_t{router} * nodes_ + target];
  }
  /// Links between routers from one node to another.
  [[nodiscard]] std::uint32_t distance(std::uint32_t from, std::uint32_t to) const noexcept;

 private:
  struct dimension_step {
    int direction;  ///< +1, -1; 0: has arrived.
    bool dateline_ahead;
  };
  [[nodiscard]] dimension_step along(std::uint32_t at, std::uint32_t to, std::uint32_t size) const noexcept;
  [[nodiscard]] route_step step(std::uint32_t router, std::uint32_t target) const noexcept;

  topology_kind kind_;
  std::uint32_t width_;
  std::uint32_t height_;
  std::uint32_t nodes_;
  std::uint32_t routers_;
  std::uint32_t ports_;
  std::vector<route_step> steps_;  ///< [router][node]
};

}  // namespace tess::machine
