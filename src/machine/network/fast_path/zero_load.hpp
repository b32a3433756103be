// zero_load: when each flit of a packet is where, in a network without other packets; follows from the routers' stages.
//
// Units     cycles since the packet was ready to leave its node.
// Cost      computed once for each number of routers and of flits.
// Test      against the simulated flits (tests/machine/network/fast_path_test.cpp).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "machine/network/parameters.hpp"

namespace tess::machine {

struct packet_timing {
  /// Of a link: from when a switch could be requested for it until the last credit is back.
  struct window {
    std::uint64_t from = 0;
    std::uint64_t until = 0;
  };
  std::uint64_t head_left = 0;         ///< Its head leaves its node; zero unless it has to wait for another packet.
  std::uint64_t source_free = 0;       ///< Its node has sent all of it and may send another packet's flit.
  std::uint64_t arrived = 0;           ///< Its tail has arrived.
  std::uint64_t settled = 0;           ///< Its last credit is back: nothing of it is left in the network.
  std::vector<window> windows;         ///< Of the links on its path, in order. Only at zero load.
  std::vector<std::uint64_t> crossed;  ///< [router][flit]: when the flit crosses the switch.
};

class zero_load_timings {
 public:
  explicit zero_load_timings(network_parameters const& parameters) : parameters_(parameters) {}
  /// The reference stays valid.
  [[nodiscard]] packet_timing const& of(std::size_t routers, std::size_t flits);

 private:
  [[nodiscard]] packet_timing compute(std::size_t routers, std::size_t flits) const;

  network_parameters parameters_;
  std::vector<std::vector<packet_timing const*>> computed_;  ///< [routers][flits]
  std::deque<packet_timing> timings_;
};

}  // namespace tess::machine
