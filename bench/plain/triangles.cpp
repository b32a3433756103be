// triangles: vertices renumbered by degree, edges to the larger number only, merged list by list.
#include <algorithm>
#include <numeric>

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
  number_by_degree();
  direct_edges();
  return count();
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
