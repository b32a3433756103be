// topology_test: routes are shortest paths, links have a reverse link, and channel dependencies have no cycle.
//
// Method: all pairs of nodes of meshes, tori and crossbars. For deadlock freedom, a search for cycles in the graph of
// the channel dependencies of all routes.
#include "machine/network/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "machine/network/fast_path/path_cache.hpp"

namespace {

using tess::machine::channel_half;
using tess::machine::link_end;
using tess::machine::network_parameters;
using tess::machine::path_cache;
using tess::machine::topology;
using tess::machine::topology_kind;

network_parameters parameters_of(topology_kind kind, std::uint32_t width, std::uint32_t height) {
  network_parameters parameters;
  parameters.topology = kind;
  parameters.width = width;
  parameters.height = height;
  return parameters;
}

std::uint32_t shortest(network_parameters const& parameters, std::uint32_t from, std::uint32_t to) {
  auto const along = [&](std::uint32_t a, std::uint32_t b, std::uint32_t size) {
    std::uint32_t const straight = a > b ? a - b : b - a;
    return parameters.topology == topology_kind::torus ? std::min(straight, size - straight) : straight;
  };
  if (parameters.topology == topology_kind::crossbar) return 0;
  return along(from % parameters.width, to % parameters.width, parameters.width) +
         along(from / parameters.width, to / parameters.width, parameters.height);
}

class every_topology : public testing::TestWithParam<std::tuple<topology_kind, std::uint32_t, std::uint32_t>> {
 protected:
  network_parameters parameters =
      parameters_of(std::get<0>(GetParam()), std::get<1>(GetParam()), std::get<2>(GetParam()));
  topology layout{parameters};
};

TEST_P(every_topology, routes_by_a_shortest_path) {
  for (std::uint32_t from = 0; from < layout.nodes(); ++from) {
    for (std::uint32_t to = 0; to < layout.nodes(); ++to) {
      ASSERT_EQ(layout.distance(from, to), shortest(parameters, from, to)) << from << " to " << to;
    }
  }
}

TEST_P(every_topology, has_a_reverse_link_for_each_link) {
  for (std::uint32_t r = 0; r < layout.routers(); ++r) {
    for (std::uint32_t p = 0; p < layout.ports(); ++p) {
      link_end const there = layout.neighbour(r, p);
      if (there.router == link_end::nowhere) continue;
      link_end const back = layout.neighbour(there.router, there.port);
      EXPECT_EQ(back.router, r);
      EXPECT_EQ(back.port, p);
    }
  }
  for (std::uint32_t node = 0; node < layout.nodes(); ++node) {
    link_end const at = layout.attachment(node);
    EXPECT_EQ(layout.node_at(at.router, at.port), node);
  }
}

TEST_P(every_topology, has_no_cycle_of_channel_dependencies) {
  using channel = std::tuple<std::uint32_t, std::uint32_t, channel_half>;  // router, port, half
  std::map<channel, std::set<channel>> waits_for;
  for (std::uint32_t from = 0; from < layout.nodes(); ++from) {
    for (std::uint32_t to = 0; to < layout.nodes(); ++to) {
      std::uint32_t router = layout.attachment(from).router;
      channel held{};
      bool first = true;
      while (router != layout.attachment(to).router) {
        auto const step = layout.route(router, to);
        channel const next{router, step.port, step.half};
        if (!first) waits_for[held].insert(next);
        first = false;
        held = next;
        router = layout.neighbour(router, step.port).router;
      }
    }
  }
  // Remove channels without dependencies until none is left, or only cycles are.
  bool changed = true;
  while (changed && !waits_for.empty()) {
    changed = false;
    for (auto it = waits_for.begin(); it != waits_for.end();) {
      std::erase_if(it->second, [&](channel const& next) { return !waits_for.contains(next); });
      changed = changed || it->second.empty();
      it = it->second.empty() ? waits_for.erase(it) : std::next(it);
    }
  }
  EXPECT_TRUE(waits_for.empty()) << waits_for.size() << " channels depend on each other in a cycle";
}

INSTANTIATE_TEST_SUITE_P(
    shapes, every_topology,
    testing::Values(std::tuple{topology_kind::mesh, 4U, 4U}, std::tuple{topology_kind::mesh, 5U, 3U},
                    std::tuple{topology_kind::mesh, 1U, 6U}, std::tuple{topology_kind::torus, 4U, 4U},
                    std::tuple{topology_kind::torus, 5U, 3U}, std::tuple{topology_kind::torus, 2U, 2U},
                    std::tuple{topology_kind::torus, 8U, 1U}, std::tuple{topology_kind::crossbar, 4U, 4U}));

// Uses more pairs than the cache holds, each of them twice, so that entries are replaced and computed again.
TEST(cached_paths, lead_from_the_source_to_the_target_along_the_route) {
  topology const grid(parameters_of(topology_kind::mesh, 8, 8));
  path_cache paths(grid);
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t source = 0; source < grid.nodes(); ++source) {
      for (std::uint32_t target = 0; target < grid.nodes(); ++target) {
        auto const links = paths.find(source, target);
        ASSERT_EQ(links.size(), grid.distance(source, target) + 2);
        ASSERT_EQ(links.front(), grid.routers() * grid.ports() + source);
        link_end const last = grid.attachment(target);
        ASSERT_EQ(links.back(), last.router * grid.ports() + last.port);
        for (std::size_t i = 1; i + 1 < links.size(); ++i) {
          link_end const next = grid.neighbour(links[i] / grid.ports(), links[i] % grid.ports());
          ASSERT_EQ(next.router, links[i + 1] / grid.ports());
        }
      }
    }
  }
}

}  // namespace
