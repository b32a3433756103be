// communities: Louvain and label propagation on graphs whose communities are known, and on others against the checks of
// the verifier; which itself must notice what is wrong. alone_max 0 keeps all levels of Louvain at all places.
#include "kernels/communities.hpp"

#include <algorithm>

#include "kernels/small_graphs.hpp"

namespace tess::test {
namespace {

using kernels::check_communities;
using kernels::communities_check;
using kernels::louvain;
using kernels::propagated_labels;

constexpr double tolerance = 1e-9;

class communities : public on_layouts {};

TEST_P(communities, of_a_chain_of_cliques_are_the_cliques) {
  run_here([]() -> task<void> {
    co_await with_graph(200, chain_of_cliques(10, 20), row_kinds::symmetric, [](distributed_graph g) -> task<void> {
      std::vector<vertex> expected(200);
      for (vertex v = 0; v < 200; ++v) expected[v] = v / 20 * 20;
      for (std::uint64_t const alone_max : {0U, 4096U})
        EXPECT_EQ((co_await louvain(g, {.alone_max = alone_max})).labels, expected);
      EXPECT_EQ((co_await louvain(g)).communities, 10U);
      EXPECT_EQ((co_await propagated_labels(g)).labels, expected);
    });
  });
}

TEST_P(communities, pass_the_checks_of_the_verifier) {
  run_here([]() -> task<void> {
    for (char const* spec : {"kron:9", "grid:40x30", "uniform:10,2", "grid:1x1"})
      co_await with_graph(spec, row_kinds::symmetric, [spec](distributed_graph g) -> task<void> {
        for (double const resolution : {1.0, 3.0})
          for (std::uint64_t const alone_max : {0U, 4096U}) {
            auto const found = co_await louvain(g, {.resolution = resolution, .alone_max = alone_max});
            communities_check const c = co_await check_communities(g, found.labels, resolution);
            EXPECT_TRUE(c.labelled) << spec;
            EXPECT_LT(c.merge_gain_max, tolerance) << spec;
          }
        communities_check const c = co_await check_communities(g, (co_await propagated_labels(g)).labels, 1);
        EXPECT_TRUE(c.labelled) << spec;
        EXPECT_LT(c.label_lead_max, tolerance) << spec;
      });
  });
}

TEST_P(communities, follow_the_weights) {
  run_here([]() -> task<void> {
    // A ring of 300 vertices in which every third edge weighs little; once as integers, once as any numbers.
    for (double const unit : {1.0, 0.37e-20}) {
      std::vector<weighted_edge> edges;
      for (vertex v = 0; v < 300; ++v) edges.push_back({v, (v + 1) % 300, unit * (v % 3 == 2 ? 1 : 1000)});
      graph_file const file(300, edges);
      co_await with_graph(file.path(), row_kinds::symmetric, [&file](distributed_graph g) -> task<void> {
        auto const w = co_await edge_weights::load(::graph::open_graph(file.path()), g);
        auto const by_moves = co_await louvain(g, {.resolution = 100, .alone_max = 0}, w);
        auto const by_labels = co_await propagated_labels(g, 1, w);
        for (vertex v = 0; v < 300; ++v) {
          EXPECT_EQ(by_moves.labels[v], v / 3 * 3);
          EXPECT_EQ(by_labels.labels[v], v / 3 * 3);
        }
        communities_check const c = co_await check_communities(g, by_moves.labels, 100, w);
        EXPECT_LT(c.merge_gain_max, tolerance);
        co_await edge_weights::release(w);
      });
    }
  });
}

TEST_P(communities, of_vertices_without_edges_are_the_vertices) {
  run_here([]() -> task<void> {
    co_await with_graph(150, {{3, 140}, {140, 70}}, row_kinds::symmetric, [](distributed_graph g) -> task<void> {
      std::vector<vertex> expected(150);
      for (vertex v = 0; v < 150; ++v) expected[v] = v;
      expected[140] = expected[70] = 3;
      for (std::uint64_t const alone_max : {0U, 4096U})
        EXPECT_EQ((co_await louvain(g, {.alone_max = alone_max})).labels, expected);
      EXPECT_EQ((co_await propagated_labels(g)).communities, 148U);
    });
    co_await with_graph(1, {}, row_kinds::symmetric, [](distributed_graph g) -> task<void> {
      EXPECT_EQ((co_await louvain(g)).labels, std::vector<vertex>{0});
      EXPECT_EQ((co_await propagated_labels(g)).labels, std::vector<vertex>{0});
      EXPECT_EQ((co_await check_communities(g, {0}, 1)).modularity, 0);
    });
  });
}

TEST_P(communities, that_are_wrong_are_noticed) {
  run_here([]() -> task<void> {
    // Two triangles and an edge between them: their modularity is 6/14 + 6/14 - 2 / 4.
    co_await with_graph(6, chain_of_cliques(2, 3), row_kinds::symmetric, [](distributed_graph g) -> task<void> {
      communities_check const right = co_await check_communities(g, {0, 0, 0, 3, 3, 3}, 1);
      EXPECT_NEAR(right.modularity, 12.0 / 14 - 0.5, 1e-12);
      EXPECT_TRUE(right.labelled);
      EXPECT_EQ(right.merge_gain_max, 0);
      EXPECT_EQ(right.label_lead_max, 0);
      EXPECT_FALSE((co_await check_communities(g, {0, 0, 0, 4, 4, 4}, 1)).labelled);
      EXPECT_FALSE((co_await check_communities(g, {0, 0, 0, 3, 3}, 1)).labelled);
      EXPECT_GT((co_await check_communities(g, {0, 0, 2, 3, 3, 3}, 1)).merge_gain_max, 0.01);
      EXPECT_GT((co_await check_communities(g, {0, 0, 0, 3, 0, 3}, 1)).label_lead_max, 0.01);
    });
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, communities, testing::ValuesIn(kernel_layouts()), name_of);

}  // namespace
}  // namespace tess::test
