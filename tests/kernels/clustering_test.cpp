// clustering: triangles of vertices on graphs where they are known, and on others against one thread.
#include "kernels/clustering.hpp"

#include "kernels/small_graphs.hpp"

namespace tess::test {
namespace {

class clustering : public on_layouts {};

TEST_P(clustering, of_cliques_in_a_chain_is_known) {
  run_here([]() -> task<void> {
    co_await with_graph(100, chain_of_cliques(20, 5), row_kinds::symmetric, [](distributed_graph g) -> task<void> {
      auto const found = co_await kernels::clustering(g);
      for (vertex v = 0; v < 100; ++v) {
        EXPECT_EQ(found.triangles[v], 6U);
        double const neighbours = v % 5 != 0 ? 4 : v == 0 || v == 95 ? 5 : 6;
        EXPECT_DOUBLE_EQ(found.coefficients[v], 12 / (neighbours * (neighbours - 1)));
      }
      // 20 cliques of 10 triangles; pairs of neighbours: 80 vertices have 6, two 10, and 18 have 15.
      EXPECT_DOUBLE_EQ(found.transitivity, 600.0 / (80 * 6 + 2 * 10 + 18 * 15));
      EXPECT_DOUBLE_EQ(found.mean, (80 + 2 * 0.6 + 18 * 0.4) / 100);
    });
  });
}

TEST_P(clustering, counts_what_one_thread_counts) {
  run_here([]() -> task<void> {
    for (char const* spec : {"kron:9", "uniform:9,40", "grid:9x7", "grid:1x1"})
      co_await with_graph(spec, row_kinds::symmetric, [spec](distributed_graph g) -> task<void> {
        auto const expected = co_await kernels::triangles_of_each_alone(g);
        EXPECT_EQ((co_await kernels::clustering(g)).triangles, expected) << spec;
      });
  });
}

TEST_P(clustering, is_zero_without_edges) {
  run_here([]() -> task<void> {
    co_await with_graph(3, {}, row_kinds::symmetric, [](distributed_graph g) -> task<void> {
      auto const found = co_await kernels::clustering(g);
      EXPECT_EQ(found.coefficients, (std::vector<double>{0, 0, 0}));
      EXPECT_EQ(found.mean, 0);
      EXPECT_EQ(found.transitivity, 0);
    });
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, clustering, testing::ValuesIn(kernel_layouts()), name_of);

}  // namespace
}  // namespace tess::test
