// clustering: the counts of triangles, and ratios of them.
#include "kernels/clustering.hpp"

#include "kernels/degrees.hpp"
#include "kernels/triangles.hpp"

namespace kernels {

clustering_result::clustering_result(std::vector<std::uint64_t> triangles_of, std::vector<vertex> const& degrees)
    : triangles(std::move(triangles_of)), coefficients(triangles.size()) {
  double sum = 0;
  double closed = 0;
  double pairs = 0;
  for (std::uint64_t v = 0; v < triangles.size(); ++v) {
    if (degrees[v] < 2) continue;
    double const of_neighbours = static_cast<double>(degrees[v]) * (degrees[v] - 1.0) / 2;
    coefficients[v] = static_cast<double>(triangles[v]) / of_neighbours;
    sum += coefficients[v];
    closed += static_cast<double>(triangles[v]);
    pairs += of_neighbours;
  }
  if (!triangles.empty()) mean = sum / static_cast<double>(triangles.size());
  if (pairs > 0) transitivity = closed / pairs;
}

tess::task<clustering_result> clustering(graph::distributed_graph g) {
  std::vector<vertex> const degrees = co_await gather_degrees(g);
  triangles const t = co_await triangles::make(g);
  co_await t.orient();
  std::vector<std::uint64_t> each = co_await t.count_each();
  co_await triangles::release(t);
  co_return clustering_result(std::move(each), degrees);
}

}  // namespace kernels
