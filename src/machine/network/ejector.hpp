// ejector: the receiving half of a node's network interface: takes flits out of the network and completes packets.
//
//   A node with a receive limit admits a packet only while it has room for it. Until the node releases an earlier
//   packet, the flits of others stay where they are, and their credits do not return.
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
  /// A virtual channel from the router. Packets on it do not interleave.
  struct input_channel {
    bool admitted = false;  ///< The packet at the front has room.
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
  std::vector<std::uint32_t> room_;      ///< [virtual network]: packets that can still be admitted.
};

}  // namespace tess::machine
