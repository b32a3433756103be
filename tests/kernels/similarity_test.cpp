// similarity: of pairs where it is known, and of many others against one thread.
#include "kernels/similarity.hpp"

#include "kernels/small_graphs.hpp"

namespace tess::test {
namespace {

using kernels::similarity_measure;
using kernels::vertex_pair;

class similarity : public on_layouts {};

TEST_P(similarity, of_pairs_in_a_chain_of_cliques_is_known) {
  run_here([]() -> task<void> {
    co_await with_graph(500, chain_of_cliques(100, 5), row_kinds::symmetric, [](distributed_graph g) -> task<void> {
      // In one clique; with the end that has a bridge; joined by a bridge; far apart; twice the same.
      std::vector<vertex_pair> const pairs{{1, 2}, {5, 6}, {0, 5}, {1, 499}, {7, 7}};
      EXPECT_EQ(co_await kernels::common_neighbours(g, pairs), (std::vector<std::uint32_t>{3, 3, 0, 0, 4}));
      EXPECT_EQ(co_await kernels::similarities(g, pairs, similarity_measure::jaccard),
                (std::vector<double>{3.0 / 5, 3.0 / 7, 0, 0, 1}));
      EXPECT_EQ(co_await kernels::similarities(g, pairs, similarity_measure::overlap),
                (std::vector<double>{3.0 / 4, 3.0 / 4, 0, 0, 1}));
    });
  });
}

TEST_P(similarity, is_what_one_thread_counts) {
  run_here([]() -> task<void> {
    for (char const* spec : {"kron:9", "uniform:9,40", "grid:23x17", "grid:1x1"})
      co_await with_graph(spec, row_kinds::symmetric, [spec](distributed_graph g) -> task<void> {
        std::vector<vertex_pair> pairs;
        for (std::uint64_t i = 0; i < 5000; ++i)
          pairs.push_back(
              {static_cast<vertex>(i * i * 31 % g.vertices()), static_cast<vertex>((i * 17 + i / 64) % g.vertices())});
        for (auto const measure : {similarity_measure::jaccard, similarity_measure::overlap}) {
          auto const expected = co_await kernels::similarities_alone(g, pairs, measure);
          EXPECT_EQ(co_await kernels::similarities(g, pairs, measure), expected) << spec;
        }
        EXPECT_TRUE((co_await kernels::similarities(g, {}, similarity_measure::jaccard)).empty());
      });
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, similarity, testing::ValuesIn(kernel_layouts()), name_of);

}  // namespace
}  // namespace tess::test
