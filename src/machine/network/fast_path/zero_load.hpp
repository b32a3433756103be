// zero_load: the timing of a packet in an otherwise empty network, from the stages of the routers.
//
// Units     cycles since the packet was ready to leave its node.
// Cost      computed once for each combination of path length and packet size.
// Test      against the simulated flits (tests/machine/network/fast_path_test.cpp).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "machine/network/parameters.hpp"

namespace tess::machine {

struct packet_timing {
  /// The time in which a packet depends on a link: from its first possible switch request to its last credit.
  struct window {
    std::uint64_t from = 0;
    std::uint64_t until = 0;
  };
  std::uint64_t head_left = 0;         ///< Its head leaves its node; not 0 if another packet goes first.
  std::uint64_t source_free = 0;       ///< Its node can send a flit of another packet.
  std::uint64_t arrived = 0;           ///< Its tail has arrived.
  std::uint64_t settled = 0;           ///< Its last credit is back.
  std::vector<window> windows;         ///< [link on its path]; empty in a batch.
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
