// triangles: vertices renumbered by degree, edges to the larger number only, merged list by list.
//
//   As in GAPBS, renumbering is left out where it is not worth its time: for few neighbours, or degrees that are alike.
#include <algorithm>
#include <array>
#include <numeric>

#include "harness/splitmix.hpp"
#include "plain/kernels.hpp"

namespace plain {
namespace {

constexpr int vertices_at_once = 64;

/// Number of common elements of two ascending lists; no branch depends on their values.
std::uint64_t common(vertex const* a, vertex const* a_end, vertex const* b, vertex const* b_end) noexcept {
  std::uint64_t found = 0;
  while (a < a_end && b < b_end) {
    vertex const x = *a;
    vertex const y = *b;
    found += x == y;
    a += x <= y;
    b += y <= x;
  }
  return found;
}

}  // namespace

triangles::triangles(csr_view graph, int threads)
    : graph_(graph),
      threads_(threads),
      ranks_(graph.n),
      vertices_(graph.n),
      offsets_(std::size_t{graph.n} + 1),
      targets_(graph.edges() / 2) {}

std::uint64_t triangles::run() {
  if (!worth_renumbering()) return count_as_they_are();
  number_by_degree();
  direct_edges();
  return count();
}

/// From a sample, as GAPBS decides it.
bool triangles::worth_renumbering() const {
  constexpr std::uint64_t few = 10;
  constexpr std::size_t samples = 1000;
  constexpr double skew = 1.3;
  if (graph_.edges() < few * graph_.n) return false;
  std::array<std::uint64_t, samples> degrees{};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < samples; ++i)
    sum += degrees[i] = graph_.degree(static_cast<vertex>(bench::splitmix(0, i) % graph_.n));
  std::ranges::nth_element(degrees, degrees.begin() + samples / 2);
  return static_cast<double>(sum) / samples / skew > static_cast<double>(degrees[samples / 2]);
}

/// Each triangle at its largest vertex.
std::uint64_t triangles::count_as_they_are() const {
  std::uint32_t const n = graph_.n;
  std::uint64_t found = 0;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, vertices_at_once) reduction(+ : found)
  for (vertex u = 0; u < n; ++u) {
    auto const row = graph_.neighbours(u);
    for (vertex const v : row) {
      if (v > u) break;
      vertex const* other = graph_.neighbours(v).data();
      vertex const* const end = other + graph_.neighbours(v).size();
      for (vertex const w : row) {
        if (w > v) break;
        while (other != end && *other < w) ++other;
        found += other != end && *other == w;
      }
    }
  }
  return found;
}

/// A counting sort.
void triangles::number_by_degree() {
  std::uint32_t const n = graph_.n;
  std::uint64_t degree_max = 0;
  for (vertex v = 0; v < n; ++v) degree_max = std::max(degree_max, graph_.degree(v));
  std::vector<vertex> next(degree_max + 2);
  for (vertex v = 0; v < n; ++v) ++next[graph_.degree(v) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (vertex v = 0; v < n; ++v) {
    ranks_[v] = next[graph_.degree(v)]++;
    vertices_[ranks_[v]] = v;
  }
}

void triangles::direct_edges() {
  std::uint32_t const n = graph_.n;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 1024)
  for (vertex rank = 0; rank < n; ++rank) {
    std::uint64_t larger = 0;
    for (vertex const u : graph_.neighbours(vertices_[rank])) larger += ranks_[u] > rank;
    offsets_[rank + 1] = larger;
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 1024)
  for (vertex rank = 0; rank < n; ++rank) {
    vertex* const begin = targets_.data() + offsets_[rank];
    vertex* end = begin;
    for (vertex const u : graph_.neighbours(vertices_[rank]))
      if (ranks_[u] > rank) *end++ = ranks_[u];
    std::sort(begin, end);
  }
}

std::uint64_t triangles::count() const {
  std::uint32_t const n = graph_.n;
  std::uint64_t found = 0;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, vertices_at_once) reduction(+ : found)
  for (vertex u = 0; u < n; ++u) {
    vertex const* const end = targets_.data() + offsets_[u + 1];
    for (vertex const* v = targets_.data() + offsets_[u]; v < end; ++v)
      found += common(v + 1, end, targets_.data() + offsets_[*v], targets_.data() + offsets_[*v + 1]);
  }
  return found;
}

}  // namespace plain
