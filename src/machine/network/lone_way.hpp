// lone_way: when a packet that meets no other is where; it follows from the stages of the routers alone.
//
// Units     cycles since its head left its node.
// Cost      a way is worked out once for each number of routers and of flits.
// Test      against the flits (tests/machine/network/express_test.cpp).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "machine/network/parameters.hpp"

namespace tess::machine {

struct lone_way {
  /// Of a link: from when its switch could be asked for it until the last credit is back.
  struct use {
    std::uint64_t from = 0;
    std::uint64_t until = 0;
  };
  std::uint64_t begun = 0;     ///< Its head leaves its node; not zero for one that had to wait.
  std::uint64_t injected = 0;  ///< Its node has sent all of it, and may send another in this cycle.
  std::uint64_t arrived = 0;   ///< All of it is there.
  std::uint64_t over = 0;      ///< Nothing of it is left anywhere.
  std::vector<use> uses;       ///< Of the link from the node, of those between routers, and of that to the node.
  std::vector<std::uint64_t> crossed;  ///< [router][flit]: when it leaves by the switch.
};

class lone_ways {
 public:
  explicit lone_ways(network_parameters const& made_of) : made_of_(made_of) {}
  /// Stays valid.
  [[nodiscard]] lone_way const& of(std::size_t routers, std::size_t flits);

 private:
  [[nodiscard]] lone_way work_out(std::size_t routers, std::size_t flits) const;

  network_parameters made_of_;
  std::vector<std::vector<lone_way const*>> known_;  ///< [routers][flits]
  std::deque<lone_way> all_;
};

}  // namespace tess::machine
