// verify: simple sequential algorithms, which share no code with the kernels.
#include "plain/verify.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <ranges>
#include <utility>

namespace plain {
namespace {

constexpr std::uint32_t no_path = UINT32_MAX;

vertex find(std::vector<vertex>& parents, vertex v) {
  while (parents[v] != v) v = parents[v] = parents[parents[v]];
  return v;
}

}  // namespace

std::vector<std::uint32_t> queue_levels(csr_view out, vertex source) {
  std::vector<std::uint32_t> levels(out.n, no_path);
  std::queue<vertex> waiting;
  levels[source] = 0;
  waiting.push(source);
  for (; !waiting.empty(); waiting.pop()) {
    vertex const u = waiting.front();
    for (vertex const v : out.neighbours(u)) {
      if (levels[v] != no_path) continue;
      levels[v] = levels[u] + 1;
      waiting.push(v);
    }
  }
  return levels;
}

bool is_shortest_path_tree(csr_view out, vertex source, std::span<vertex const> parents) {
  std::vector<std::uint32_t> const levels = queue_levels(out, source);
  if (parents.size() != out.n || parents[source] != source) return false;
  for (vertex v = 0; v < out.n; ++v) {
    vertex const parent = parents[v];
    bool const reached = parent != no_path;
    if (reached != (levels[v] != no_path)) return false;
    if (!reached || v == source) continue;
    if (parent >= out.n || levels[parent] + 1 != levels[v]) return false;
    if (!std::ranges::binary_search(out.neighbours(parent), v)) return false;
  }
  return true;
}

power_iteration_result power_iteration(csr_view out, double damping, double tolerance, int iterations_max) {
  power_iteration_result result{.scores = std::vector<double>(out.n, 1.0 / out.n), .iterations = 0};
  double change = tolerance;
  while (result.iterations < iterations_max && change >= tolerance) {
    std::vector<double> pushed(out.n, 0.0);
    for (vertex u = 0; u < out.n; ++u) {
      for (vertex const v : out.neighbours(u)) pushed[v] += result.scores[u] / static_cast<double>(out.degree(u));
    }
    change = 0;
    for (vertex v = 0; v < out.n; ++v) {
      double const score = (1 - damping) / out.n + damping * pushed[v];
      change += std::fabs(score - result.scores[v]);
      result.scores[v] = score;
    }
    ++result.iterations;
  }
  return result;
}

std::vector<vertex> union_find(csr_view out) {
  std::vector<vertex> parents(out.n);
  std::iota(parents.begin(), parents.end(), 0U);
  for (vertex u = 0; u < out.n; ++u) {
    for (vertex const v : out.neighbours(u)) {
      auto const [low, high] = std::minmax({find(parents, u), find(parents, v)});
      parents[high] = low;
    }
  }
  for (vertex v = 0; v < out.n; ++v) parents[v] = find(parents, v);
  return parents;
}

std::vector<std::uint32_t> dijkstra(weighted_view out, vertex source) {
  std::vector<std::uint32_t> distances(out.n, no_path);
  using entry = std::pair<std::uint32_t, vertex>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting;
  distances[source] = 0;
  waiting.emplace(0, source);
  while (!waiting.empty()) {
    auto const [distance, u] = waiting.top();
    waiting.pop();
    if (distance > distances[u]) continue;
    for (auto const [v, weight] : out.neighbours(u)) {
      if (distance + weight >= distances[v]) continue;
      distances[v] = distance + weight;
      waiting.emplace(distances[v], v);
    }
  }
  return distances;
}

std::vector<double> brandes(csr_view out, std::span<vertex const> sources) {
  std::vector<double> scores(out.n);
  for (vertex const source : sources) {
    std::vector<std::uint32_t> const levels = queue_levels(out, source);
    std::vector<vertex> order;
    for (vertex v = 0; v < out.n; ++v)
      if (levels[v] != no_path) order.push_back(v);
    std::ranges::sort(order, {}, [&](vertex v) { return levels[v]; });
    std::vector<double> paths(out.n);
    std::vector<double> dependency(out.n);
    paths[source] = 1;
    for (vertex const u : order)
      for (vertex const v : out.neighbours(u))
        if (levels[v] == levels[u] + 1) paths[v] += paths[u];
    for (vertex const u : order | std::views::reverse) {
      for (vertex const v : out.neighbours(u))
        if (levels[v] == levels[u] + 1) dependency[u] += paths[u] / paths[v] * (1 + dependency[v]);
      if (u != source) scores[u] += dependency[u];
    }
  }
  return scores;
}

std::uint64_t triangles_by_look_up(csr_view undirected) {
  std::uint64_t found = 0;
  for (vertex u = 0; u < undirected.n; ++u)
    for (vertex const v : undirected.neighbours(u))
      for (vertex const w : undirected.neighbours(v))
        if (u < v && v < w && std::ranges::binary_search(undirected.neighbours(u), w)) ++found;
  return found;
}

}  // namespace plain
