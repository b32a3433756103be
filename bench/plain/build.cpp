// build: counting sort of an edge list by source, then each list of neighbours sorted and made unique.
#include "plain/build.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <utility>

#include "harness/splitmix.hpp"

namespace plain {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

/// Calls f(source, target) for each directed edge that is stored.
template <class Function>
void for_each_stored(std::vector<edge> const& edges, direction stored, Function const& f) {
#pragma omp parallel for
  for (std::size_t i = 0; i < edges.size(); ++i) {
    auto const [source, target] = edges[i];
    if (source == target) continue;
    if (stored != direction::backward) f(source, target);
    if (stored != direction::forward) f(target, source);
  }
}

struct lists {
  std::vector<std::uint64_t> offsets;
  std::vector<vertex> targets;
};

lists unsorted_lists(std::uint32_t n, std::vector<edge> const& edges, direction stored) {
  // Counted at the next index, so that the prefix sum yields the first free slot of each list.
  lists made{.offsets = std::vector<std::uint64_t>(std::size_t{n} + 2), .targets = {}};
  for_each_stored(edges, stored, [&](vertex source, vertex) {
    std::atomic_ref<std::uint64_t>(made.offsets[source + 2]).fetch_add(1, relaxed);
  });
  std::partial_sum(made.offsets.begin(), made.offsets.end(), made.offsets.begin());
  made.targets.resize(made.offsets.back());
  for_each_stored(edges, stored, [&](vertex source, vertex target) {
    made.targets[std::atomic_ref<std::uint64_t>(made.offsets[source + 1]).fetch_add(1, relaxed)] = target;
  });
  return made;
}

/// Sorts each list and counts its distinct elements.
std::vector<std::uint64_t> unique_offsets(std::uint32_t n, lists& made) {
  std::vector<std::uint64_t> offsets(std::size_t{n} + 1);
#pragma omp parallel for schedule(dynamic, 1024)
  for (vertex v = 0; v < n; ++v) {
    auto const begin = made.targets.begin() + static_cast<std::ptrdiff_t>(made.offsets[v]);
    auto const end = made.targets.begin() + static_cast<std::ptrdiff_t>(made.offsets[v + 1]);
    std::sort(begin, end);
    offsets[v + 1] = static_cast<std::uint64_t>(std::unique(begin, end) - begin);
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

/// One quadrant per level, chosen by 16 random bits: 0.57, 0.19, 0.19 and the rest, of 65,536.
edge kron_edge(int scale, std::uint64_t seed, std::uint64_t index) {
  constexpr std::array<std::uint64_t, 3> quadrant_ends{37355, 37355 + 12452, 37355 + 2 * 12452};
  constexpr int levels_per_number = 4;
  std::uint64_t const numbers_per_edge = static_cast<std::uint64_t>(scale + levels_per_number - 1) / levels_per_number;
  edge made{0, 0};
  std::uint64_t bits = 0;
  for (int level = 0; level < scale; ++level) {
    auto const number = static_cast<std::uint64_t>(level / levels_per_number);
    if (level % levels_per_number == 0) bits = bench::splitmix(seed, index * numbers_per_edge + number);
    auto const quadrant = static_cast<unsigned>(
        std::ranges::count_if(quadrant_ends, [drawn = bits & 0xffffU](std::uint64_t end) { return drawn >= end; }));
    made.source = (made.source << 1U) | (quadrant >> 1U);
    made.target = (made.target << 1U) | (quadrant & 1U);
    bits >>= 16U;
  }
  return made;
}

std::vector<vertex> random_names(std::uint32_t n, std::uint64_t seed) {
  std::vector<vertex> names(n);
  std::iota(names.begin(), names.end(), 0U);
  for (std::uint32_t i = n; i > 1; --i) std::swap(names[i - 1], names[bench::splitmix(seed, i) % i]);
  return names;
}

}  // namespace

std::vector<edge> kron_edges(int scale, int edge_factor, std::uint64_t seed) {
  std::vector<vertex> const names = random_names(1U << static_cast<unsigned>(scale), seed + 1);
  std::vector<edge> edges(names.size() * static_cast<std::size_t>(edge_factor));
#pragma omp parallel for
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edge const made = kron_edge(scale, seed, i);
    edges[i] = {names[made.source], names[made.target]};
  }
  return edges;
}

std::vector<edge> random_edges(std::uint32_t n, std::uint64_t count, std::uint64_t seed) {
  std::vector<edge> edges(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t const bits = bench::splitmix(seed, i);
    edges[i] = {static_cast<vertex>((bits >> 32U) % n), static_cast<vertex>((bits & UINT32_MAX) % n)};
  }
  return edges;
}

std::vector<edge> grid_edges(std::uint32_t width, std::uint32_t height) {
  std::vector<edge> edges;
  edges.reserve(std::size_t{2} * width * height);
  for (std::uint32_t row = 0; row < height; ++row) {
    for (std::uint32_t column = 0; column < width; ++column) {
      vertex const here = row * width + column;
      if (column + 1 < width) edges.push_back({here, here + 1});
      if (row + 1 < height) edges.push_back({here, here + width});
    }
  }
  return edges;
}

csr_graph::csr_graph(std::uint32_t n, std::vector<edge> const& edges, direction stored)
    : n_(n), offsets_(std::size_t{n} + 1), targets_(0) {
  lists made = unsorted_lists(n, edges, stored);
  std::vector<std::uint64_t> const offsets = unique_offsets(n, made);
  std::ranges::copy(offsets, offsets_.begin());
  targets_ = bench::huge_array<std::uint32_t>(offsets.back());
#pragma omp parallel for
  for (vertex v = 0; v < n; ++v) {
    std::copy_n(made.targets.begin() + static_cast<std::ptrdiff_t>(made.offsets[v]), offsets[v + 1] - offsets[v],
                targets_.begin() + static_cast<std::ptrdiff_t>(offsets[v]));
  }
}

}  // namespace plain
