// names: the names of the suite's kernels here, in the paper, and on the command line.
//
// Source   IMSuite (JPDC 2015); the abbreviations are those of NEMESYS (MEMSYS 2019), table 4.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "imsuite/input.hpp"

namespace imsuite {

struct kernel_name {
  kernel which;
  std::string_view code;   // of the programs: imsuite-CODE
  std::string_view paper;  // in NEMESYS
  std::string_view title;
};

inline constexpr std::array kernel_names{
    kernel_name{kernel::bfs_bellman_ford, "bf", "BF", "breadth-first search by Bellman and Ford's relaxation"},
    kernel_name{kernel::bfs_dijkstra, "dst", "DST", "breadth-first search by Dijkstra's phases"},
    kernel_name{kernel::byzantine, "by", "BY", "Byzantine consensus with a shared coin"},
    kernel_name{kernel::dijkstra_routing, "dr", "DR", "routing tables by Dijkstra's algorithm at every node"},
    kernel_name{kernel::dominating_set, "ds", "DS", "a small dominating set, randomised"},
    kernel_name{kernel::k_committee, "kc", "KC", "committees of at most K nodes"},
    kernel_name{kernel::leader_elect_dp, "dp", "DP", "leader election on a general graph by Peleg"},
    kernel_name{kernel::leader_elect_hs, "hs", "HS", "leader election on a ring by Hirschberg and Sinclair"},
    kernel_name{kernel::leader_elect_lcr, "lcr", "LCR", "leader election on a ring by Le Lann, Chang and Roberts"},
    kernel_name{kernel::mis, "mis", "MIS", "a maximal independent set by Luby"},
    kernel_name{kernel::mst, "mst", "MST", "a minimum spanning tree of fragments"},
    kernel_name{kernel::vertex_coloring, "vc", "VC", "three colours for a tree by Cole and Vishkin"},
};

[[nodiscard]] constexpr kernel_name const& name_of(kernel k) noexcept {
  for (auto const& name : kernel_names)
    if (name.which == k) return name;
  return kernel_names.front();
}

[[nodiscard]] constexpr std::optional<kernel> kernel_of(std::string_view code) noexcept {
  for (auto const& name : kernel_names)
    if (name.code == code) return name.which;
  return std::nullopt;
}

}  // namespace imsuite
