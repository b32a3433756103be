// triangles_verify: for each pair of neighbours, those that both have in common, by merging sorted rows.
#include "kernels/row_stream.hpp"
#include "kernels/triangles.hpp"

namespace kernels {

namespace {

using row = std::span<graph::vertex const>;

std::uint64_t in_common(row a, row b) noexcept {
  std::uint64_t found = 0;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() && k < b.size()) {
    if (a[i] == b[k]) ++found;
    graph::vertex const least = std::min(a[i], b[k]);
    i += a[i] == least;
    k += b[k] == least;
  }
  return found;
}

}  // namespace

tess::task<std::uint64_t> triangles_alone(graph::distributed_graph g) {
  // Only the neighbours with smaller numbers, so that each triangle is found from its largest vertex.
  std::vector<std::uint64_t> offsets{0};
  std::vector<graph::vertex> smaller;
  co_await for_each_row(g, [&](graph::vertex u, row neighbours) {
    for (graph::vertex const v : neighbours)
      if (v < u) smaller.push_back(v);
    offsets.push_back(smaller.size());
  });
  auto const row_of = [&](graph::vertex v) {
    return row(smaller.data() + offsets[v], smaller.data() + offsets[v + 1]);
  };
  std::uint64_t found = 0;
  for (graph::vertex u = 0; u < g.vertices(); ++u)
    for (graph::vertex const v : row_of(u)) found += in_common(row_of(u), row_of(v));
  co_return found;
}

}  // namespace kernels
