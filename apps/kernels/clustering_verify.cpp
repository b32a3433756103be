// clustering_verify: for each pair of neighbours, the smaller ones that both have in common, by merging sorted rows.
#include "kernels/clustering.hpp"
#include "kernels/gathered_rows.hpp"

namespace kernels {

tess::task<std::vector<std::uint64_t>> triangles_of_each_alone(graph::distributed_graph g) {
  gathered_rows const rows = co_await gather_rows(g);
  std::vector<std::uint64_t> each(g.vertices());
  for (vertex u = 0; u < each.size(); ++u)
    for (vertex const v : rows.neighbours(u)) {
      if (v >= u) break;
      auto a = rows.neighbours(u).begin();
      auto b = rows.neighbours(v).begin();
      // v itself is in the row of u and ends the search.
      while (*a < v && b != rows.neighbours(v).end() && *b < v) {
        if (*a == *b) {
          ++each[u];
          ++each[v];
          ++each[*a];
        }
        vertex const least = std::min(*a, *b);
        a += *a == least;
        b += *b == least;
      }
    }
  co_return each;
}

}  // namespace kernels
