// general_pagerank: weights, restarts, vertices without out-edges and scores to begin with, against pushing at one
// place; and the plain kernel, where nothing of that is asked for.
#include "kernels/general_pagerank.hpp"

#include <limits>
#include <numeric>
#include <vector>

#include "kernels/gather_block_array.hpp"
#include "kernels/graph_file.hpp"
#include "kernels/pagerank.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

using ::graph::distributed_graph;
using ::graph::row_kinds;
using kernels::general_pagerank_options;

void expect_near(std::vector<double> const& a, std::vector<double> const& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t v = 0; v < a.size(); ++v) EXPECT_NEAR(a[v], b[v], tolerance) << v;
}

class general_pagerank_on : public on_layouts {};

TEST_P(general_pagerank_on, gives_the_scores_of_pushing_with_all_options) {
  graph_file const directed("g.mtx", random_edges(seed(), 300, 700)), dense("g.mtx", random_edges(seed(), 200, 4000));
  run_here([&]() -> task<void> {
    for (std::string const& spec : {directed.path(), dense.path(), std::string("kron:8,3")}) {
      auto const input = ::graph::open_graph(spec);
      auto const g = co_await distributed_graph::load(input, row_kinds::out_and_in);
      auto const weights = co_await ::graph::edge_weights::load(input, g);
      for (unsigned options = 0; options < 16; ++options) {
        general_pagerank_options how;
        how.iterations_max = 30;
        if ((options & 1) != 0) {
          how.restart.resize(g.vertices());
          how.restart[7] = 3;
          how.restart[150] = 1;
        }
        if ((options & 2) != 0) how.dangling.assign(g.vertices(), 2.0);
        if ((options & 4) != 0) {
          how.start.resize(g.vertices());
          std::iota(how.start.begin(), how.start.end(), 0.0);
        }
        auto const w = (options & 8) != 0 ? std::optional(weights) : std::nullopt;
        auto const found = co_await kernels::general_pagerank(g, w, how);
        EXPECT_NEAR(std::accumulate(found.scores.begin(), found.scores.end(), 0.0), 1, 1e-12);
        expect_near(found.scores, co_await kernels::general_pagerank_alone(g, w, how, found.iterations), 1e-14);
      }
      co_await ::graph::edge_weights::release(weights);
      co_await distributed_graph::release(g);
    }
  });
}

TEST_P(general_pagerank_on, gives_the_plain_scores_without_options) {
  graph_file const file("g.mtx", random_edges(seed(), 300, 700));
  run_here([&]() -> task<void> {
    auto const g = co_await distributed_graph::load(::graph::open_graph(file.path()), row_kinds::out_and_in);
    auto const plain = co_await kernels::pagerank::make(g);
    auto const expected = co_await plain.run({0.85, 1e-15 * static_cast<double>(g.vertices()), 500});
    general_pagerank_options how;
    how.tolerance = 1e-15;
    how.iterations_max = 500;
    auto const found = co_await kernels::general_pagerank(g, std::nullopt, how);
    EXPECT_TRUE(found.converged);
    // In place it takes fewer; where both end they are near the same scores.
    EXPECT_LT(expected.iterations, found.iterations);
    expect_near(found.scores, co_await kernels::gather_block_array(g, plain.scores()), 1e-12);
    co_await kernels::pagerank::release(plain);
    co_await distributed_graph::release(g);
  });
}

TEST_P(general_pagerank_on, divides_rank_by_weights) {
  // Half of the rank stays with vertex 0's restart; of what leaves it, vertex 2 gets three times what vertex 1 gets.
  // The only edge of vertex 3 weighs nothing: its rank goes where walks restart.
  graph_file const file("g.wel", "0 1 1\n0 2 3\n1 0 2\n2 0 2\n3 1 0\n");
  run_here([&]() -> task<void> {
    auto const input = ::graph::open_graph(file.path());
    auto const g = co_await distributed_graph::load(input, row_kinds::out_and_in);
    auto const weights = co_await ::graph::edge_weights::load(input, g);
    general_pagerank_options how{0.5, 1e-15, 200, {1, 0, 0, 0}, {}, {}};
    auto const found = co_await kernels::general_pagerank(g, weights, how);
    expect_near(found.scores, {2.0 / 3, 1.0 / 12, 1.0 / 4, 0}, 1e-12);
    co_await ::graph::edge_weights::release(weights);
    co_await distributed_graph::release(g);
  });
}

TEST_P(general_pagerank_on, takes_weights_at_the_ends_of_the_range_of_a_double) {
  // Sums of rows would be infinite, and a score times a weight has few digits left: only ratios in a row count.
  graph_file const directed("g.wel", "0 1 1e308\n0 2 1.7e308\n1 0 1e-310\n1 2 3e-310\n2 0 5e-324\n");
  graph_file const small("g.wel", "0 1 10\n0 2 17\n1 0 1\n1 2 3\n2 0 1\n");
  std::string const header = "%%MatrixMarket matrix coordinate real symmetric\n";
  graph_file const symmetric("g.mtx", header + "3 3 3\n2 1 1e-310\n3 1 2e-310\n3 2 1e-310\n");
  graph_file const of_ones("g.mtx", header + "3 3 3\n2 1 1\n3 1 2\n3 2 1\n");
  auto const scores = [](std::string const& path) -> task<std::vector<double>> {
    auto const input = ::graph::open_graph(path);
    auto const g = co_await distributed_graph::load(input, row_kinds::out_and_in);
    auto const weights = co_await ::graph::edge_weights::load(input, g);
    general_pagerank_options how;
    how.iterations_max = 50;
    auto const found = co_await kernels::general_pagerank(g, weights, how);
    expect_near(found.scores, co_await kernels::general_pagerank_alone(g, weights, how, found.iterations), 1e-12);
    co_await ::graph::edge_weights::release(weights);
    co_await distributed_graph::release(g);
    co_return found.scores;
  };
  run_here([&]() -> task<void> {
    expect_near(co_await scores(directed.path()), co_await scores(small.path()), 1e-12);
    expect_near(co_await scores(symmetric.path()), co_await scores(of_ones.path()), 1e-12);
  });
}

TEST_P(general_pagerank_on, refuses_vectors_that_are_no_distribution) {
  run_here([]() -> task<void> {
    auto const g = co_await distributed_graph::load(::graph::open_graph("grid:8x8"), row_kinds::out);
    std::vector<double> const right(64, 1.0);
    std::vector<double> negative = right, undefined = right;
    negative[5] = -1;
    undefined[63] = std::numeric_limits<double>::quiet_NaN();
    for (std::vector<double> const& wrong :
         {std::vector<double>(63, 1.0), std::vector<double>(64), negative, undefined}) {
      std::string said;
      try {
        general_pagerank_options how;
        how.restart = wrong;
        static_cast<void>(co_await kernels::general_pagerank(g, std::nullopt, how));
      } catch (tess::error const& e) {
        said = e.what();
      }
      EXPECT_TRUE(said.contains("restart has")) << said;
    }
    co_await distributed_graph::release(g);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, general_pagerank_on, testing::ValuesIn([] {
                           std::vector<layout> all = few_layouts();
                           if (all.front().places != 0) all.push_back({"smp", 1, 1});
                           return all;
                         }()),
                         name_of);

}  // namespace
}  // namespace tess::test
