// components: a forest in which every vertex points to a smaller one of its component, joined along few edges, then
// compressed.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "harness/splitmix.hpp"
#include "plain/kernels.hpp"

namespace plain {
namespace {

// The paper's: two neighbours suffice to find nearly all of the largest component, 1024 samples to recognise it.
constexpr std::uint64_t sampled_neighbours = 2;
constexpr std::uint64_t samples = 1024;

constexpr int chunk = 4096;  // vertices; degrees differ by orders of magnitude, so chunks are handed out on demand

// Everywhere: a parent only ever moves to a smaller vertex of the same component, so that an outdated one costs steps
// and not correctness; the barrier at the end of each loop orders the phases.
constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

components::components(graph_view graph, int threads) : graph_(graph), threads_(threads), parents_(graph.n()) {}

std::span<vertex const> components::run() {
  std::uint32_t const n = graph_.n();
#pragma omp parallel for num_threads(threads_)
  for (vertex v = 0; v < n; ++v) parents_[v] = v;
  for (std::uint64_t round = 0; round < sampled_neighbours; ++round) {
    join_sampled(round);
    compress();
  }
  if (n > 0) join_rest(most_frequent());
  compress();
  return parents_.span();
}

/// Climbs from both ends until they meet or a root is found, which is hooked under the smaller vertex.
void components::join(vertex u, vertex v) noexcept {
  vertex high = parent(u).load(relaxed);
  vertex low = parent(v).load(relaxed);
  while (high != low) {
    if (high < low) std::swap(high, low);
    vertex above = parent(high).load(relaxed);
    if (above == low) return;
    if (above == high && parent(high).compare_exchange_strong(above, low, relaxed)) return;
    // Not a root, or no longer one: two steps up, as the paths are mostly compressed.
    high = parent(above).load(relaxed);
    low = parent(low).load(relaxed);
  }
}

void components::join_sampled(std::uint64_t round) {
  std::uint32_t const n = graph_.n();
#pragma omp parallel for num_threads(threads_) schedule(dynamic, chunk)
  for (vertex v = 0; v < n; ++v) {
    if (round < graph_.out.degree(v)) join(v, graph_.out.neighbours(v)[round]);
  }
}

/// The edges not yet looked at, except between two vertices of the largest component: every other edge has an end
/// outside, and is seen from there, in a directed graph as an in-edge if need be.
void components::join_rest(vertex largest) {
  std::uint32_t const n = graph_.n();
#pragma omp parallel for num_threads(threads_) schedule(dynamic, chunk)
  for (vertex v = 0; v < n; ++v) {
    if (parent(v).load(relaxed) == largest) continue;
    std::span<vertex const> const targets = graph_.out.neighbours(v);
    for (vertex const u : targets.subspan(std::min(sampled_neighbours, targets.size()))) join(v, u);
    if (!graph_.directed()) continue;
    for (vertex const u : graph_.in.neighbours(v)) join(v, u);
  }
}

/// Afterwards every vertex points to its root.
void components::compress() {
  std::uint32_t const n = graph_.n();
#pragma omp parallel for num_threads(threads_) schedule(dynamic, chunk)
  for (vertex v = 0; v < n; ++v) {
    vertex above = parent(v).load(relaxed);
    vertex root = parent(above).load(relaxed);
    if (above == root) continue;
    while (above != root) above = std::exchange(root, parent(root).load(relaxed));
    parent(v).store(root, relaxed);
  }
}

vertex components::most_frequent() const {
  std::unordered_map<vertex, std::uint64_t> counts;
  for (std::uint64_t k = 0; k < samples; ++k) {
    auto const v = static_cast<vertex>(bench::splitmix(0, k) % graph_.n());
    ++counts[parent(v).load(relaxed)];
  }
  return std::ranges::max_element(counts, {}, [](auto const& counted) { return counted.second; })->first;
}

}  // namespace plain
