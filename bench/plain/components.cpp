// components: a forest in which every vertex points to a smaller one of its component, joined along few edges, then
// compressed.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "harness/splitmix.hpp"
#include "plain/kernels.hpp"

namespace plain {
namespace {

// As in the paper: two neighbours suffice to find nearly all of the largest component, 1024 samples to recognise it.
constexpr std::uint64_t sampled_neighbours = 2;
constexpr std::uint64_t samples = 1024;

constexpr std::uint32_t block = 256;  // vertices
constexpr int chunk = 16;             // blocks; degrees differ by orders of magnitude, so scheduling is dynamic

struct edge_ends {
  vertex u;
  vertex v;
};

// Relaxed everywhere: a parent only changes to a smaller vertex of the same component, so that an outdated one costs
// steps, not correctness; the barrier at the end of each loop orders the phases.
constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

components::components(graph_view graph, int threads) : graph_(graph), threads_(threads), parents_(graph.n()) {}

std::span<vertex const> components::run() {
  std::uint32_t const n = graph_.n();
  plant();
  compress();
  join_sampled();
  compress();
  if (n > 0) join_rest(most_frequent());
  compress();
  return parents_.span();
}

/// Every vertex under its first neighbour, if that is smaller: no other thread can have hooked it yet, so that this
/// needs no atomic operation. Source: Jaiganesh, Burtscher (HPDC 2018).
void components::plant() noexcept {
  constexpr std::uint32_t ahead = 32;
  std::uint32_t const n = graph_.n();
  csr_view const out = graph_.out;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, chunk)
  for (std::uint32_t begin = 0; begin < n; begin += block) {
    vertex const end = begin + std::min(block, n - begin);
    for (vertex v = begin; v < end; ++v) {
      __builtin_prefetch(out.targets + out.offsets[std::min(v + ahead, n)]);
      vertex above = v;
      if (out.degree(v) != 0) {
        // Chains end at their root, or outside of the block. No branch depends on the row, which may still be in flight
        // from memory.
        vertex const first = std::min(out.neighbours(v)[0], v);
        vertex const planted = parent(std::max(first, begin)).load(relaxed);
        above = first >= begin && first < v ? planted : first;
      }
      parent(v).store(above, relaxed);
    }
  }
}

/// Follows parents from both ends until they meet or a root is found, which is hooked under the smaller vertex.
void components::join(vertex u, vertex v) noexcept {
  vertex high = parent(u).load(relaxed);
  vertex low = parent(v).load(relaxed);
  while (high != low) {
    if (high < low) std::swap(high, low);
    vertex above = parent(high).load(relaxed);
    if (above == low) return;
    if (above == high && parent(high).compare_exchange_strong(above, low, relaxed)) return;
    // Not a root, or no longer one: two steps up, since most paths are compressed.
    high = parent(above).load(relaxed);
    low = parent(low).load(relaxed);
  }
}

/// Links each vertex to its second neighbour, and to the first where plant() did not. Edges of a block are read first,
/// so that memory latencies overlap.
void components::join_sampled() {
  static_assert(sampled_neighbours == 2);
  std::uint32_t const n = graph_.n();
#pragma omp parallel for num_threads(threads_) schedule(dynamic, chunk)
  for (std::uint32_t begin = 0; begin < n; begin += block) {
    std::array<edge_ends, sampled_neighbours * block> edges;
    std::uint64_t found = 0;
    vertex const end = begin + std::min(block, n - begin);
    for (vertex v = begin; v < end; ++v) {
      std::span<vertex const> const row = graph_.out.neighbours(v);
      if (row.empty()) continue;
      edges[found] = {row[0], v};
      found += row[0] > v;
      if (row.size() == 1) continue;
      edges[found++] = {v, row[1]};
      __builtin_prefetch(&parents_[row[1]]);
    }
    for (std::uint64_t k = 0; k < found; ++k) join(edges[k].u, edges[k].v);
  }
}

/// Links the remaining edges, except between vertices of the largest component: every other edge has an end outside of
/// it and is processed from there, in a directed graph possibly as an in-edge.
void components::join_rest(vertex largest) {
  std::uint32_t const n = graph_.n();
#pragma omp parallel for num_threads(threads_) schedule(dynamic, chunk* block)
  for (vertex v = 0; v < n; ++v) {
    if (parent(v).load(relaxed) == largest) continue;
    std::span<vertex const> const targets = graph_.out.neighbours(v);
    for (vertex const u : targets.subspan(std::min(sampled_neighbours, targets.size()))) join(v, u);
    if (!graph_.directed()) continue;
    for (vertex const u : graph_.in.neighbours(v)) join(v, u);
  }
}

/// Makes every vertex point to its root: two steps without a branch, since the distance of a root is unpredictable;
/// more for blocks that need them.
void components::compress() {
  std::uint32_t const n = graph_.n();
#pragma omp parallel for num_threads(threads_) schedule(dynamic, chunk)
  for (std::uint32_t begin = 0; begin < n; begin += block) {
    vertex const end = begin + std::min(block, n - begin);
    vertex farther = 0;
    for (vertex v = begin; v < end; ++v) {
      vertex const above = parent(parent(v).load(relaxed)).load(relaxed);
      parent(v).store(above, relaxed);
      farther |= above ^ parent(above).load(relaxed);
    }
    if (farther == 0) continue;
    for (vertex v = begin; v < end; ++v) {
      vertex root = parent(v).load(relaxed);
      for (vertex above; (above = parent(root).load(relaxed)) != root;) root = above;
      parent(v).store(root, relaxed);
    }
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
