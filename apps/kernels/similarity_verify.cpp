// similarity_verify: marks the neighbours of one end and counts those of the other, on rows fetched to one place.
#include <algorithm>

#include "kernels/gathered_rows.hpp"
#include "kernels/similarity.hpp"

namespace kernels {

tess::task<std::vector<double>> similarities_alone(graph::distributed_graph g, std::vector<vertex_pair> const& pairs,
                                                   similarity_measure measure) {
  gathered_rows const rows = co_await gather_rows(g);
  std::vector<std::uint8_t> marks(g.vertices());
  std::vector<double> made;
  for (auto const [a, b] : pairs) {
    double of_a = 0, of_b = 0, both = 0;
    for (vertex const v : rows.neighbours(a)) of_a += marks[v] = v != a ? 1 : 0;
    for (vertex const v : rows.neighbours(b)) {
      if (v == b) continue;
      of_b += 1;
      both += marks[v];
    }
    for (vertex const v : rows.neighbours(a)) marks[v] = 0;
    double const of = measure == similarity_measure::overlap ? std::min(of_a, of_b) : of_a + of_b - both;
    made.push_back(of > 0 ? both / of : 0);
  }
  co_return made;
}

}  // namespace kernels
