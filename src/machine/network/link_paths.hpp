// link_paths: the links that a packet uses from its node to its target's.
//
//   A link is numbered by the router and port that it leaves by; links from nodes follow them, by node.
//
// Cost      a walk along the route, unless the last one with the same lowest bits of source and target was the same.
// Threads   one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/network/topology.hpp"

namespace tess::machine {

class link_paths {
 public:
  /// The topology must outlive this.
  explicit link_paths(topology const& of) : topology_(of), known_(entries) {}
  link_paths(link_paths const&) = delete;
  link_paths& operator=(link_paths const&) = delete;

  /// From the node's link to that into the target. Stays until of() is called for another pair.
  [[nodiscard]] std::span<std::uint32_t const> of(std::uint32_t source, std::uint32_t target) {
    known& one = known_[(source * topology_.nodes() + target) % entries];
    if (one.source != source || one.target != target) {
      one.source = source;
      one.target = target;
      follow_route(one);
    }
    return one.links;
  }

 private:
  static constexpr std::uint32_t entries = 1024;
  struct known {
    std::uint32_t source = link_end::nowhere;
    std::uint32_t target = link_end::nowhere;
    std::vector<std::uint32_t> links;
  };

  void follow_route(known& into) const;

  topology const& topology_;
  std::vector<known> known_;
};

}  // namespace tess::machine
