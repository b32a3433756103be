// ejector: the receiving half of a node's network interface: takes flits out of the network and completes packets.
//
//   A node with a limit takes in a packet only if it has room for it; the flits of others keep their places in the
//   network, without a credit, until the node has released a packet.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/network/delivery.hpp"
#include "machine/network/links.hpp"
#include "machine/network/packet.hpp"
#include "machine/network/shape.hpp"

namespace tess::machine {

class ejector {
 public:
  /// All four must outlive this.
  ejector(network_shape const& shape, std::uint32_t node, network_links& links, packet_pool& packets,
          delivery& complete);

  void receive(flit const& arrived, std::uint8_t channel, std::uint64_t cycle) {
    if (shape_.receive_limit(shape_.network_of(channel)) == 0) return consume(arrived, channel, cycle);
    channels_[channel].held.push_back(arrived);
    drain(channel, cycle);
  }
  /// The node has room for one more packet of a virtual network that has a limit.
  void release(std::uint32_t network, std::uint64_t cycle);

 private:
  /// A virtual channel from the router; its packets come one after the other.
  struct input_channel {
    bool admitted = false;  ///< There is room for the packet whose flits come now.
    std::vector<flit> held;
  };

  void drain(std::uint8_t channel, std::uint64_t cycle);
  void consume(flit const& arrived, std::uint8_t channel, std::uint64_t cycle) {
    links_.return_credit(link_, channel, cycle);
    if (arrived.tail) complete(arrived.packet, cycle);
  }
  void complete(std::uint32_t index, std::uint64_t cycle);

  network_shape const& shape_;
  network_links& links_;
  packet_pool& packets_;
  delivery& complete_;
  std::uint32_t link_;
  std::vector<input_channel> channels_;  ///< [channel]
  std::vector<std::uint32_t> room_;      ///< [virtual network]: packets that it can still take in.
};

}  // namespace tess::machine
