// verify: a queue, a push and a union; nothing here is shared with the kernels.
#include "plain/verify.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

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

}  // namespace plain
