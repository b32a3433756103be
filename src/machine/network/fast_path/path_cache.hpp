// path_cache: a direct-mapped cache of routes, each as the list of its links.
//
// Units     links are numbered as in network_shape.
// Cost      a miss walks along the route.
// Threads   one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/network/topology.hpp"

namespace tess::machine {

class path_cache {
 public:
  /// The topology must outlive this.
  explicit path_cache(topology const& layout) : topology_(layout), table_(entries) {}
  path_cache(path_cache const&) = delete;
  path_cache& operator=(path_cache const&) = delete;

  /// All links from the one that leaves the source to the one that enters the target. Valid until the next find() for
  /// another pair.
  [[nodiscard]] std::span<std::uint32_t const> find(std::uint32_t source, std::uint32_t target) {
    entry& one = table_[(source * topology_.nodes() + target) % entries];
    if (one.source != source || one.target != target) {
      one.source = source;
      one.target = target;
      follow_route(one);
    }
    return one.links;
  }

 private:
  static constexpr std::uint32_t entries = 1024;
  struct entry {
    std::uint32_t source = link_end::nowhere;
    std::uint32_t target = link_end::nowhere;
    std::vector<std::uint32_t> links;
  };

  void follow_route(entry& into) const;

  topology const& topology_;
  std::vector<entry> table_;
};

}  // namespace tess::machine
