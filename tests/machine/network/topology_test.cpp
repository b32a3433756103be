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
#include <vector>

#include "machine/network/fast_path/path_cache.hpp"

namespace {

using tess::machine::channel_half;
using tess::machine::link_end;
using tess::machine::network_parameters;
using tess::machine::path_cache;
using tess::machine::ring_classes;
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

using channel = std::tuple<std::uint32_t, std::uint32_t, channel_half>;  // router, port, half
using dependencies = std::map<channel, std::set<channel>>;

/// Follows a packet over every channel that it may hold. `keeps`: it keeps its class on a ring, as it should.
void follow(topology const& layout, std::uint32_t router, std::uint32_t to, std::uint32_t came_by, channel const* held,
            bool keeps, dependencies& into) {
  if (router == layout.attachment(to).router) return;
  auto const step = layout.route(router, to);
  auto half = step.half;
  if (held != nullptr && keeps) half = layout.half_of(step, came_by, std::get<2>(*held));
  std::vector<channel_half> halves{half};
  if (half == channel_half::all) halves = {channel_half::lower, channel_half::upper};
  auto const there = layout.neighbour(router, step.port);
  for (channel_half const one : halves) {
    channel const next{router, step.port, one};
    if (held != nullptr) into[*held].insert(next);
    follow(layout, there.router, to, there.port, &next, keeps, into);
  }
}

/// Channels that wait for each other in a cycle.
std::size_t in_cycles(topology const& layout, bool keeps) {
  dependencies waits_for;
  for (std::uint32_t from = 0; from < layout.nodes(); ++from) {
    for (std::uint32_t to = 0; to < layout.nodes(); ++to)
      follow(layout, layout.attachment(from).router, to, topology::local, nullptr, keeps, waits_for);
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
  return waits_for.size();
}

TEST_P(every_topology, has_no_cycle_of_channel_dependencies) {
  for (ring_classes const classes : {ring_classes::dateline, ring_classes::route, ring_classes::balanced}) {
    parameters.classes = classes;
    EXPECT_EQ(in_cycles(topology(parameters), true), 0U) << static_cast<int>(classes);
  }
}

TEST(balanced_classes, have_cycles_of_dependencies_unless_packets_keep_their_class) {
  network_parameters ring = parameters_of(topology_kind::torus, 8, 1);
  ring.classes = ring_classes::balanced;
  EXPECT_GT(in_cycles(topology(ring), false), 0U);
}

/// Links to the east of a ring on which packets of all pairs use one half of the channels only.
std::size_t links_of_one_class(std::uint32_t size, ring_classes classes) {
  network_parameters ring = parameters_of(topology_kind::torus, size, 1);
  ring.classes = classes;
  topology const layout(ring);
  std::map<std::uint32_t, std::set<channel_half>> used;  // by router
  for (std::uint32_t from = 0; from < size; ++from) {
    for (std::uint32_t to = 0; to < size; ++to) {
      std::uint32_t came_by = topology::local;
      channel_half half = channel_half::all;
      for (std::uint32_t at = from; at != to;) {
        auto const step = layout.route(at, to);
        half = layout.half_of(step, came_by, half);
        if (step.port == topology::east) used[at].insert(half);
        auto const there = layout.neighbour(at, step.port);
        at = there.router;
        came_by = there.port;
      }
    }
  }
  std::size_t count = 0;
  for (auto const& [router, halves] : used) count += halves.size() == 1 && !halves.contains(channel_half::all) ? 1 : 0;
  return count;
}

// By hand. From router 0 a ring of 8 has these links to the east: 0 to 3 lead to the middle, 4 to 6 to the dateline, 7
// crosses it. Ways are up to three links long, and of four from even routers only, as both ways are equally long then.
// With datelines, 0 to 3 are behind the dateline, so all packets there use the upper half; on 7 all use the lower one.
// Packets that keep their class go on up to link 1 after the dateline (from router 6 to 2), so 2, 3 and 7 are left.
// With a second dateline, those from router 2 to 3 cross none, so link 2 has both. In a ring of 4 no packet goes on
// after the dateline.
TEST(links_of_a_ring, have_one_class_behind_the_dateline_unless_packets_keep_theirs) {
  EXPECT_EQ(links_of_one_class(8, ring_classes::dateline), 5U);
  EXPECT_EQ(links_of_one_class(8, ring_classes::route), 3U);
  EXPECT_EQ(links_of_one_class(8, ring_classes::balanced), 2U);
  EXPECT_EQ(links_of_one_class(4, ring_classes::dateline), 3U);
  EXPECT_EQ(links_of_one_class(4, ring_classes::route), 3U);
  EXPECT_EQ(links_of_one_class(4, ring_classes::balanced), 2U);
}

INSTANTIATE_TEST_SUITE_P(
    shapes, every_topology,
    testing::Values(std::tuple{topology_kind::mesh, 4U, 4U}, std::tuple{topology_kind::mesh, 5U, 3U},
                    std::tuple{topology_kind::mesh, 1U, 6U}, std::tuple{topology_kind::torus, 4U, 4U},
                    std::tuple{topology_kind::torus, 5U, 3U}, std::tuple{topology_kind::torus, 2U, 2U},
                    std::tuple{topology_kind::torus, 8U, 1U}, std::tuple{topology_kind::torus, 5U, 4U},
                    std::tuple{topology_kind::crossbar, 4U, 4U}));

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
