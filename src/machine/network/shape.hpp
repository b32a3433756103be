// shape: the fixed structure of a network: numbers of ports and virtual channels, and both ends of each link.
//
//   Links that leave routers have the numbers router × ports + port; links that leave nodes follow, in the order of the
//   nodes. Ports at the edge of a mesh have a number, but no link.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/network/parameters.hpp"
#include "machine/network/topology.hpp"

namespace tess::machine {

/// Both ends of a link. A node has one port, number 0.
struct link_ends {
  std::uint32_t source = 0;                  ///< Router or node.
  std::uint32_t target = link_end::nowhere;  ///< Router or node.
  std::uint8_t source_port = 0;
  std::uint8_t target_port = 0;
  bool from_node = false;
  bool to_node = false;
};

class network_shape {
 public:
  static constexpr std::uint32_t channels_max = 32;

  explicit network_shape(network_parameters const& parameters);

  [[nodiscard]] network_parameters const& parameters() const noexcept { return parameters_; }
  [[nodiscard]] topology const& layout() const noexcept { return topology_; }
  [[nodiscard]] std::uint32_t ports() const noexcept { return ports_; }
  /// Virtual channels of all virtual networks together.
  [[nodiscard]] std::uint32_t channels() const noexcept { return channels_; }
  [[nodiscard]] std::uint32_t virtual_networks() const noexcept { return virtual_networks_; }

  [[nodiscard]] std::uint32_t links() const noexcept { return static_cast<std::uint32_t>(ends_.size()); }
  [[nodiscard]] std::uint32_t router_links() const noexcept { return router_links_; }
  [[nodiscard]] std::uint32_t link(std::uint32_t router, std::uint32_t port) const noexcept {
    return router * ports_ + port;
  }
  [[nodiscard]] std::uint32_t node_link(std::uint32_t node) const noexcept { return router_links_ + node; }
  [[nodiscard]] link_ends const& ends(std::uint32_t link) const noexcept { return ends_[link]; }

  /// The channels that a packet of a virtual network may use, as bits.
  [[nodiscard]] std::uint32_t allowed_channels(std::uint32_t network, channel_half half) const noexcept {
    return channel_masks_[network * 3 + static_cast<std::uint32_t>(half)];
  }
  /// The half of its virtual network's channels in which it is.
  [[nodiscard]] channel_half half_of(std::uint32_t channel) const noexcept { return channel_halves_[channel]; }
  [[nodiscard]] std::uint8_t network_of(std::uint32_t channel) const noexcept { return channel_networks_[channel]; }
  [[nodiscard]] std::uint32_t priority_of(std::uint32_t channel) const noexcept { return channel_priorities_[channel]; }
  /// All virtual networks have the same priority.
  [[nodiscard]] bool equal_priorities() const noexcept { return equal_priorities_; }
  /// Packets of this virtual network that a node holds at most before it releases one; 0: no limit.
  [[nodiscard]] std::uint32_t receive_limit(std::uint32_t network) const noexcept {
    return parameters_.virtual_networks[network].receive_packets;
  }

 private:
  void number_channels();
  void connect_links();

  network_parameters parameters_;
  topology topology_;
  std::uint32_t ports_;
  std::uint32_t channels_ = 0;
  std::uint32_t virtual_networks_;
  std::uint32_t router_links_;
  bool equal_priorities_ = true;
  std::vector<std::uint32_t> channel_masks_;       ///< [virtual network][channel_half]
  std::vector<channel_half> channel_halves_;       ///< [channel]
  std::vector<std::uint8_t> channel_networks_;     ///< [channel]
  std::vector<std::uint32_t> channel_priorities_;  ///< [channel]
  std::vector<link_ends> ends_;                    ///< [link]
};

}  // namespace tess::machine
