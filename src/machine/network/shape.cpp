// shape: numbers the virtual channels and links of a network and checks its parameters.
#include "machine/network/shape.hpp"

#include "machine/kernel/assert.hpp"
#include "machine/network/bits.hpp"

namespace tess::machine {

network_shape::network_shape(network_parameters const& parameters)
    : parameters_(parameters),
      topology_(parameters),
      ports_(topology_.ports()),
      virtual_networks_(static_cast<std::uint32_t>(parameters.virtual_networks.size())),
      router_links_(topology_.routers() * ports_) {
  MACHINE_ASSERT(parameters.buffer_flits >= 1 && parameters.buffer_flits < 256);
  MACHINE_ASSERT(parameters.link_cycles >= 1 && parameters.traversal_cycles >= 1);
  number_channels();
  MACHINE_ASSERT(channels_ >= 1 && channels_ <= channels_max);
  connect_links();
}

void network_shape::number_channels() {
  std::vector<virtual_network> const& networks = parameters_.virtual_networks;
  for (std::uint32_t n = 0; n < virtual_networks_; ++n) {
    virtual_network const& network = networks[n];
    MACHINE_ASSERT(parameters_.topology != topology_kind::torus || network.channels % 2 == 0);
    std::uint32_t const half = network.channels / 2;
    channel_masks_.push_back(lowest_bits(network.channels) << channels_);
    channel_masks_.push_back(lowest_bits(half) << channels_);
    channel_masks_.push_back(lowest_bits(network.channels - half) << (channels_ + half));
    channel_halves_.insert(channel_halves_.end(), half, channel_half::lower);
    channel_halves_.insert(channel_halves_.end(), network.channels - half, channel_half::upper);
    channel_networks_.insert(channel_networks_.end(), network.channels, static_cast<std::uint8_t>(n));
    channel_priorities_.insert(channel_priorities_.end(), network.channels, network.priority);
    channels_ += network.channels;
    equal_priorities_ = equal_priorities_ && network.priority == networks.front().priority;
  }
}

void network_shape::connect_links() {
  ends_.resize(std::size_t{router_links_} + topology_.nodes());
  for (std::uint32_t router = 0; router < topology_.routers(); ++router) {
    for (std::uint32_t port = 0; port < ports_; ++port) {
      link_ends& out = ends_[link(router, port)];
      out.source = router;
      out.source_port = static_cast<std::uint8_t>(port);
      std::uint32_t const node = topology_.node_at(router, port);
      link_end const neighbour = topology_.neighbour(router, port);
      out.to_node = node != link_end::nowhere;
      out.target = out.to_node ? node : neighbour.router;
      out.target_port = static_cast<std::uint8_t>(out.to_node ? 0 : neighbour.port);
      if (!out.to_node) continue;
      link_ends& in = ends_[node_link(node)];
      in.source = node;
      in.target = router;
      in.target_port = static_cast<std::uint8_t>(port);
      in.from_node = true;
    }
  }
}

}  // namespace tess::machine
