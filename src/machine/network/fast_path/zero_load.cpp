// zero_load: a flit waits for the flit before it, and for the credit of the flit that had its place in the buffer.
#include "machine/network/fast_path/zero_load.hpp"

#include <algorithm>

namespace tess::machine {

packet_timing const& zero_load_timings::of(std::size_t routers, std::size_t flits) {
  if (routers >= computed_.size()) computed_.resize(routers + 1);
  auto& row = computed_[routers];
  if (flits >= row.size()) row.resize(flits + 1);
  if (row[flits] == nullptr) row[flits] = &timings_.emplace_back(compute(routers, flits));
  return *row[flits];
}

packet_timing zero_load_timings::compute(std::size_t routers, std::size_t flits) const {
  std::uint64_t const over_link = parameters_.link_cycles + 1;
  std::uint64_t const between = parameters_.between_routers_cycles() + 1;
  // From a router's switch to the next router, or to the node behind the last one.
  auto const over_switch = [&](std::size_t router) {
    return parameters_.traversal_cycles + (router + 1 < routers ? between : over_link);
  };
  std::size_t const depth = parameters_.buffer_flits;
  packet_timing timing;
  timing.crossed.resize(routers * flits);
  auto const crossed = [&](std::size_t router, std::size_t flit) -> std::uint64_t& {
    return timing.crossed[router * flits + flit];
  };
  // When this router gets back the credit that it spent on the flit.
  auto const credited = [&](std::size_t router, std::size_t flit) {
    if (router + 1 < routers) return crossed(router + 1, flit) + between + parameters_.credit_cycles;
    return crossed(router, flit) + over_switch(router) + over_link + parameters_.credit_cycles;
  };
  std::uint64_t sent = 0;
  for (std::size_t f = 0; f < flits; ++f) {
    if (f > 0) sent = std::max(sent + 1, f >= depth ? crossed(0, f - depth) + over_link : 0);
    std::uint64_t received = sent + over_link;
    for (std::size_t r = 0; r < routers; ++r) {
      std::uint64_t leaves = f == 0 ? received + parameters_.routing_cycles + (parameters_.speculative ? 0 : 1)
                                    : std::max(received, crossed(r, f - 1) + 1);
      if (f >= depth) leaves = std::max(leaves, credited(r, f - depth));
      crossed(r, f) = leaves;
      received = leaves + over_switch(r);
    }
    timing.arrived = received;
  }
  timing.source_free = sent + 1;
  timing.windows.push_back({0, crossed(0, flits - 1) + over_link});
  for (std::size_t r = 0; r < routers; ++r) {
    std::uint64_t const head_received = r == 0 ? over_link : crossed(r - 1, 0) + over_switch(r - 1);
    timing.windows.push_back({head_received + parameters_.routing_cycles, credited(r, flits - 1)});
  }
  for (packet_timing::window const& one : timing.windows) timing.settled = std::max(timing.settled, one.until);
  return timing;
}

}  // namespace tess::machine
