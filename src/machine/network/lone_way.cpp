// lone_way: each flit follows the one before it, and needs the credit of the one that had its place in the buffer.
#include "machine/network/lone_way.hpp"

#include <algorithm>

namespace tess::machine {

lone_way const& lone_ways::of(std::size_t routers, std::size_t flits) {
  if (routers >= known_.size()) known_.resize(routers + 1);
  auto& row = known_[routers];
  if (flits >= row.size()) row.resize(flits + 1);
  if (row[flits] == nullptr) row[flits] = &all_.emplace_back(work_out(routers, flits));
  return *row[flits];
}

lone_way lone_ways::work_out(std::size_t routers, std::size_t flits) const {
  std::uint64_t const over_link = made_of_.link_cycles + 1;
  std::uint64_t const over_switch = made_of_.traversal_cycles + over_link;
  std::uint64_t const credit = over_link + made_of_.credit_cycles;
  std::size_t const depth = made_of_.buffer_flits;
  lone_way way;
  way.crossed.resize(routers * flits);
  auto const crossed = [&](std::size_t router, std::size_t flit) -> std::uint64_t& {
    return way.crossed[router * flits + flit];
  };
  // When the place that a flit had behind this router is known to be free again.
  auto const freed = [&](std::size_t router, std::size_t flit) {
    return (router + 1 < routers ? crossed(router + 1, flit) : crossed(router, flit) + over_switch) + credit;
  };
  std::uint64_t sent = 0;
  for (std::size_t f = 0; f < flits; ++f) {
    if (f > 0) sent = std::max(sent + 1, f >= depth ? crossed(0, f - depth) + over_link : 0);
    std::uint64_t came = sent + over_link;
    for (std::size_t r = 0; r < routers; ++r) {
      std::uint64_t leaves = f == 0 ? came + made_of_.routing_cycles + (made_of_.speculative ? 0 : 1)
                                    : std::max(came, crossed(r, f - 1) + 1);
      if (f >= depth) leaves = std::max(leaves, freed(r, f - depth));
      crossed(r, f) = leaves;
      came = leaves + over_switch;
    }
    way.arrived = came;
  }
  way.injected = sent + 1;
  way.uses.push_back({0, crossed(0, flits - 1) + over_link});
  for (std::size_t r = 0; r < routers; ++r) {
    std::uint64_t const head_came = r == 0 ? over_link : crossed(r - 1, 0) + over_switch;
    way.uses.push_back({head_came + made_of_.routing_cycles, freed(r, flits - 1)});
  }
  for (lone_way::use const& one : way.uses) way.over = std::max(way.over, one.until);
  return way;
}

}  // namespace tess::machine
