// verify: checks each result by the definition of its problem.
#include "imsuite/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace imsuite {

namespace {

template <class T>
decltype(auto) at(T&& of, std::int32_t i) {
  return of[static_cast<std::size_t>(i)];
}

// children must list each node below its parent, once, and no other node.
std::string wrong_children(std::span<tree_node const> found) {
  std::vector<std::int32_t> listed(found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::int32_t const c : found[i].children) {
      if (c < 0 || static_cast<std::size_t>(c) >= found.size()) return fmt::format("node {} has child {}", i, c);
      if (at(found, c).parent != static_cast<std::int32_t>(i))
        return fmt::format("node {} has child {}, whose parent is {}", i, c, at(found, c).parent);
      ++at(listed, c);
    }
  for (std::size_t i = 0; i < found.size(); ++i)
    if (listed[i] != (found[i].parent == infinity ? 0 : 1))
      return fmt::format("node {} is a child {} times", i, listed[i]);
  return {};
}

// Sets that are merged, for Kruskal's algorithm and for components.
class disjoint_sets {
 public:
  explicit disjoint_sets(std::int32_t n) : above_(static_cast<std::size_t>(n)) {
    std::iota(above_.begin(), above_.end(), 0);
  }
  std::int32_t find(std::int32_t i) {
    while (at(above_, i) != i) i = at(above_, i) = at(above_, at(above_, i));
    return i;
  }
  bool merge(std::int32_t i, std::int32_t j) {
    i = find(i);
    j = find(j);
    at(above_, i) = j;
    return i != j;
  }

 private:
  std::vector<std::int32_t> above_;
};

std::int64_t least_weight(input const& in) {
  std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t>> edges;
  for (std::int32_t i = 0; i < in.nodes; ++i)
    for (std::int32_t j = 0; j < i; ++j)
      if (in.joined(i, j)) edges.emplace_back(in.weight(i, j), i, j);
  std::ranges::sort(edges);
  disjoint_sets parts(in.nodes);
  std::int64_t sum = 0;
  for (auto const& [w, i, j] : edges)
    if (parts.merge(i, j)) sum += w;
  return sum;
}

// Costs of the shortest paths from one node (Bellman and Ford: simplest, and different from the kernel).
std::vector<std::int64_t> costs_from(input const& in, std::int32_t source) {
  std::vector<std::int64_t> cost(static_cast<std::size_t>(in.nodes), INT64_MAX);
  at(cost, source) = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::int32_t i = 0; i < in.nodes; ++i) {
      if (at(cost, i) == INT64_MAX) continue;
      for (std::int32_t const j : in.neighbors(i))
        if (at(cost, i) + in.weight(i, j) < at(cost, j)) {
          at(cost, j) = at(cost, i) + in.weight(i, j);
          changed = true;
        }
    }
  }
  return cost;
}

// The path from `from` to `to` along its parents must exist and be as long as the entry says.
std::string wrong_path(input const& in, std::span<route const> row, std::int32_t from, std::int32_t to) {
  std::int64_t cost = 0;
  std::int32_t hops = 0;
  std::int32_t i = to;
  std::int32_t last = from;
  while (i != from) {
    std::int32_t const up = at(row, i).parent;
    if (up < 0 || up >= in.nodes || !in.joined(up, i) || hops == in.nodes)
      return fmt::format("the path from {} to {} breaks at {}", from, to, i);
    cost += in.weight(up, i);
    ++hops;
    last = i;
    i = up;
  }
  route const& r = at(row, to);
  if (cost != r.cost || hops != r.hops)
    return fmt::format("from {} to {}: cost {} and {} hops, but its path has {} and {}", from, to, r.cost, r.hops, cost,
                       hops);
  if (r.next != last)
    return fmt::format("from {} to {}: next is {}, but its path begins with {}", from, to, r.next, last);
  return {};
}

}  // namespace

std::vector<std::int32_t> distances_from(input const& in, std::int32_t root) {
  std::vector<std::int32_t> distance(static_cast<std::size_t>(in.nodes), infinity);
  std::vector<std::int32_t> reached{root};
  at(distance, root) = 0;
  for (std::size_t next = 0; next < reached.size(); ++next)
    for (std::int32_t const j : in.neighbors(reached[next]))
      if (at(distance, j) == infinity) {
        at(distance, j) = at(distance, reached[next]) + 1;
        reached.push_back(j);
      }
  return distance;
}

std::string wrong_distances(input const& in, std::span<std::int32_t const> found) {
  auto const right = distances_from(in, in.root);
  for (std::int32_t i = 0; i < in.nodes; ++i)
    if (at(found, i) != at(right, i))
      return fmt::format("node {} is {} edges from {}, not {}", i, at(right, i), in.root, at(found, i));
  return {};
}

std::string wrong_search_tree(input const& in, std::span<tree_node const> found) {
  auto const level = distances_from(in, in.root);
  for (std::int32_t i = 0; i < in.nodes; ++i) {
    std::int32_t const parent = at(found, i).parent;
    if (i == in.root || at(level, i) == infinity) {
      if (parent != infinity) return fmt::format("node {} has parent {}, but should have none", i, parent);
      continue;
    }
    if (parent < 0 || parent >= in.nodes || !in.joined(i, parent) || at(level, parent) != at(level, i) - 1)
      return fmt::format("parent {} of node {} is no neighbour one level up", parent, i);
  }
  return wrong_children(found);
}

std::string wrong_spanning_tree(input const& in, std::int32_t root, std::span<tree_node const> found) {
  std::int64_t weight = 0;
  disjoint_sets parts(in.nodes);
  for (std::int32_t i = 0; i < in.nodes; ++i) {
    std::int32_t const parent = at(found, i).parent;
    if ((i == root) != (parent == infinity))
      return fmt::format("node {} has parent {}, the root being {}", i, parent, root);
    if (i == root) continue;
    if (parent < 0 || parent >= in.nodes || !in.joined(i, parent))
      return fmt::format("parent {} of node {} is no neighbour", parent, i);
    if (!parts.merge(i, parent)) return fmt::format("the edge from {} to its parent {} closes a cycle", i, parent);
    weight += in.weight(i, parent);
  }
  if (std::int64_t const least = least_weight(in); weight != least)
    return fmt::format("the tree weighs {}, and the lightest {}", weight, least);
  return wrong_children(found);
}

std::string wrong_consensus(input const& in, std::span<consensus const> found) {
  std::vector<bool> loyal(static_cast<std::size_t>(in.nodes), true);
  for (std::int32_t const t : in.traitors) at(loyal, t) = false;
  std::int32_t const first = static_cast<std::int32_t>(std::ranges::find(loyal, true) - loyal.begin());
  bool unanimous = true;
  for (std::int32_t i = 0; i < in.nodes; ++i) {
    if (!at(loyal, i)) continue;
    if (at(found, i).decision != at(found, first).decision)
      return fmt::format("node {} decides {}, but node {} {}", first, at(found, first).decision, i,
                         at(found, i).decision);
    if (!at(found, i).permanent) return fmt::format("node {} never decides", i);
    unanimous = unanimous && at(in.votes, i) == at(in.votes, first);
  }
  if (unanimous && at(found, first).decision != at(in.votes, first))
    return fmt::format("all voted {}, but decide {}", at(in.votes, first), at(found, first).decision);
  return {};
}

std::string wrong_routes(input const& in, std::span<route const> found) {
  auto const n = static_cast<std::size_t>(in.nodes);
  for (std::int32_t i = 0; i < in.nodes; ++i) {
    auto const row = found.subspan(static_cast<std::size_t>(i) * n, n);
    auto const cost = costs_from(in, i);
    for (std::int32_t j = 0; j < in.nodes; ++j) {
      if (at(cost, j) == INT64_MAX) {
        if (at(row, j).cost != infinity || at(row, j).next != infinity)
          return fmt::format("a route from {} to {}, which cannot be reached", i, j);
        continue;
      }
      if (at(row, j).cost != at(cost, j))
        return fmt::format("from {} to {}: cost {}, and the least is {}", i, j, at(row, j).cost, at(cost, j));
      if (std::string wrong = wrong_path(in, row, i, j); !wrong.empty()) return wrong;
    }
  }
  return {};
}

std::string wrong_dominating_set(input const& in, std::span<std::uint8_t const> chosen) {
  for (std::int32_t i = 0; i < in.nodes; ++i) {
    bool dominated = at(chosen, i) != 0;
    for (std::int32_t const j : in.neighbors(i)) dominated = dominated || at(chosen, j) != 0;
    if (!dominated) return fmt::format("node {} is neither in the set nor beside it", i);
  }
  return {};
}

std::string wrong_independent_set(input const& in, std::span<std::uint8_t const> chosen) {
  for (std::int32_t i = 0; i < in.nodes; ++i)
    for (std::int32_t const j : in.neighbors(i))
      if (at(chosen, i) != 0 && at(chosen, j) != 0)
        return fmt::format("{} and {} are neighbours and both in the set", i, j);
  std::string const missing = wrong_dominating_set(in, chosen);
  return missing.empty() ? missing : "not maximal: " + missing;
}

std::string wrong_committees(input const& in, std::span<std::int32_t const> committee) {
  disjoint_sets parts(in.nodes);
  for (std::int32_t i = 0; i < in.nodes; ++i)
    for (std::int32_t const j : in.neighbors(i)) parts.merge(i, j);
  std::map<std::int32_t, std::int32_t> members;
  for (std::int32_t i = 0; i < in.nodes; ++i) {
    std::int32_t const c = at(committee, i);
    if (c < 0 || c >= in.nodes) return fmt::format("node {} is in no committee ({})", i, c);
    if (parts.find(c) != parts.find(i)) return fmt::format("node {} cannot reach its committee's first, {}", i, c);
    if (++members[c] > in.committee) return fmt::format("committee {} has more than {} members", c, in.committee);
  }
  return {};
}

std::string wrong_leader(input const& in, std::span<std::int32_t const> leader) {
  auto const best = static_cast<std::int32_t>(std::ranges::max_element(in.ids) - in.ids.begin());
  for (std::int32_t i = 0; i < in.nodes; ++i)
    if (at(leader, i) != best)
      return fmt::format("node {} follows {}, but {} has the greatest identifier", i, at(leader, i), best);
  return {};
}

std::string wrong_coloring(input const& in, std::span<std::int32_t const> color) {
  for (std::int32_t i = 0; i < in.nodes; ++i) {
    if (at(color, i) < 0 || at(color, i) > 2) return fmt::format("node {} has colour {}", i, at(color, i));
    for (std::int32_t const j : in.neighbors(i))
      if (at(color, i) == at(color, j))
        return fmt::format("neighbours {} and {} both have colour {}", i, j, at(color, i));
  }
  return {};
}

}  // namespace imsuite
