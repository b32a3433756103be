// peeling: kernels that remove, colour or order vertices: graphs with known results, and random ones against the
// verifiers, which share nothing with the kernels; on every kind of fabric.
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/assortativity.hpp"
#include "kernels/bipartite.hpp"
#include "kernels/core_numbers.hpp"
#include "kernels/graph_file.hpp"
#include "kernels/independent_set.hpp"
#include "kernels/spanning_forest.hpp"
#include "kernels/strong_components.hpp"
#include "kernels/topological_order.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

using ::graph::distributed_graph;
using ::graph::row_kinds;
using ::graph::vertex;

task<distributed_graph> load(std::string spec, row_kinds kinds) {
  co_return co_await distributed_graph::load(::graph::open_graph(spec), kinds);
}

std::string const lonely = "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n";
std::string const without_edges = "%%MatrixMarket matrix coordinate pattern general\n200 200 0\n";
// Cycles 0 1 2 and 3 4 5, joined by an edge; a path 6 7 8; vertex 9 apart.
std::string const two_cycles =
    "%%MatrixMarket matrix coordinate integer general\n10 10 9\n"
    "1 2 4\n2 3 1\n3 1 2\n3 4 9\n4 5 1\n5 6 1\n6 4 1\n7 8 5\n8 9 5\n";

// Files of all kinds, and graphs that are generated.
std::vector<std::string> random_specs() {
  return {"kron:8,4", "kron:9,2,5", "grid:13x9", "uniform:8,1", "uniform:7,12,3"};
}

class kernels_here : public on_layouts {
 protected:
  // f(graph) for small, random and generated graphs.
  template <class F>
  void on_graphs(row_kinds kinds, F f) {
    std::array const texts{lonely,
                           without_edges,
                           two_cycles,
                           random_edges(seed(), 300, 400),
                           random_edges(seed() + 1, 500, 4000),
                           random_edges(seed() + 2, 900, 950)};
    std::vector<std::string> specs = random_specs();
    std::vector<std::unique_ptr<graph_file>> files;
    for (std::string const& text : texts) {
      files.push_back(std::make_unique<graph_file>("g.mtx", text));
      specs.push_back(files.back()->path());
    }
    run_here([&]() -> task<void> {
      for (std::string const& spec : specs) {
        auto const g = co_await load(spec, kinds);
        co_await f(g, spec);
        co_await distributed_graph::release(g);
      }
    });
  }
};

TEST_P(kernels_here, give_known_core_numbers) {
  // A clique of five, a triangle that hangs on it, a path from there, and a vertex apart.
  graph_file const file("g.el", "0 1\n0 2\n0 3\n0 4\n1 2\n1 3\n1 4\n2 3\n2 4\n3 4\n4 5\n5 6\n6 4\n6 7\n7 8\n10 9\n");
  run_here([&]() -> task<void> {
    auto const g = co_await load(file.path(), row_kinds::symmetric);
    EXPECT_EQ(co_await kernels::core_numbers(g), (std::vector<std::uint32_t>{4, 4, 4, 4, 4, 2, 2, 1, 1, 1, 1}));
    co_await distributed_graph::release(g);
  });
}

TEST_P(kernels_here, give_the_core_numbers_of_removing_one_vertex_after_the_other) {
  on_graphs(row_kinds::symmetric, [](distributed_graph g, std::string spec) -> task<void> {
    EXPECT_EQ(co_await kernels::core_numbers(g), co_await kernels::core_numbers_alone(g)) << spec;
  });
}

TEST_P(kernels_here, give_known_strong_components) {
  graph_file const file("g.mtx", two_cycles);
  run_here([&]() -> task<void> {
    auto const g = co_await load(file.path(), row_kinds::out_and_in);
    EXPECT_EQ(co_await kernels::strong_components(g), (std::vector<vertex>{0, 0, 0, 3, 3, 3, 6, 7, 8, 9}));
    co_await distributed_graph::release(g);
  });
}

TEST_P(kernels_here, give_the_strong_components_of_Tarjan) {
  on_graphs(row_kinds::out_and_in, [](distributed_graph g, std::string spec) -> task<void> {
    EXPECT_EQ(co_await kernels::strong_components(g), co_await kernels::strong_components_alone(g)) << spec;
  });
}

TEST_P(kernels_here, colour_a_chain_of_strong_components) {
  // 60 cycles of 5, each with an edge to the next and to the last: trimming and one search leave most of them.
  std::string text;
  for (unsigned c = 0; c < 60; ++c) {
    for (unsigned k = 0; k < 5; ++k)
      text += std::to_string(5 * c + k) + " " + std::to_string(5 * c + (k + 1) % 5) + "\n";
    if (c < 59) text += std::to_string(5 * c + 3) + " " + std::to_string(5 * (59 - c)) + "\n";
  }
  graph_file const file("g.el", text);
  run_here([&]() -> task<void> {
    auto const g = co_await load(file.path(), row_kinds::out_and_in);
    auto const labels = co_await kernels::strong_components(g);
    EXPECT_EQ(labels, co_await kernels::strong_components_alone(g));
    co_await distributed_graph::release(g);
  });
}

TEST_P(kernels_here, give_the_forest_of_Kruskal) {
  auto const compare = [](std::string spec) -> task<void> {
    auto const input = ::graph::open_graph(spec);
    auto const g = co_await distributed_graph::load(input, row_kinds::symmetric);
    auto const weights = co_await ::graph::edge_weights::load(input, g);
    auto const grown = co_await kernels::spanning_forest(g, weights);
    auto const expected = co_await kernels::spanning_forest_alone(g, weights);
    EXPECT_EQ(grown.edges, expected.edges) << spec;
    EXPECT_EQ(grown.weight, expected.weight) << spec;
    co_await ::graph::edge_weights::release(weights);
    co_await distributed_graph::release(g);
  };
  std::string path;
  for (unsigned v = 0; v < 700; ++v) path += std::to_string(v) + " " + std::to_string(v + 1) + " 1.5\n";
  graph_file const halves("g.wel", path), few("g.mtx", two_cycles), one("g.mtx", lonely),
      many("g.mtx", random_edges(seed(), 400, 3000));
  run_here([&]() -> task<void> {
    for (std::string const& spec : random_specs()) co_await compare(spec);
    for (graph_file const* file : {&halves, &few, &one, &many}) co_await compare(file->path());
  });
}

TEST_P(kernels_here, give_a_known_forest) {
  graph_file const file("g.wel", "0 1 2.5\n1 2 1\n2 0 2\n2 3 7\n4 5 1\n");
  run_here([&]() -> task<void> {
    auto const input = ::graph::open_graph(file.path());
    auto const g = co_await distributed_graph::load(input, row_kinds::symmetric);
    auto const weights = co_await ::graph::edge_weights::load(input, g);
    auto const grown = co_await kernels::spanning_forest(g, weights);
    EXPECT_EQ(grown.edges, (std::vector<kernels::weighted_edge>{{0, 2, 2}, {1, 2, 1}, {2, 3, 7}, {4, 5, 1}}));
    EXPECT_EQ(grown.weight, 11);
    co_await ::graph::edge_weights::release(weights);
    co_await distributed_graph::release(g);
  });
}

TEST_P(kernels_here, give_the_independent_set_of_the_greedy_algorithm) {
  on_graphs(row_kinds::symmetric, [](distributed_graph g, std::string spec) -> task<void> {
    auto const first = co_await kernels::independent_set(g, 1);
    EXPECT_EQ(first, co_await kernels::independent_set_alone(g, 1)) << spec;
    auto const second = co_await kernels::independent_set(g, 2);
    EXPECT_EQ(second, co_await kernels::independent_set_alone(g, 2)) << spec;
    if (g.edges() > 100) EXPECT_NE(first, second) << spec;
  });
}

TEST_P(kernels_here, find_two_colours_or_an_odd_edge) {
  on_graphs(row_kinds::symmetric, [](distributed_graph g, std::string spec) -> task<void> {
    auto const found = co_await kernels::two_colours(g);
    EXPECT_EQ(!found.odd, co_await kernels::is_bipartite_alone(g)) << spec;
    EXPECT_EQ(found.colours.size(), found.odd ? 0 : g.vertices()) << spec;
  });
}

TEST_P(kernels_here, give_known_colours) {
  graph_file const even("g.el", "0 1\n1 2\n2 3\n3 0\n5 4\n7 7\n"), odd("g.el", "0 1\n1 2\n3 4\n4 5\n5 3\n");
  run_here([&]() -> task<void> {
    auto const g = co_await load(even.path(), row_kinds::symmetric);
    EXPECT_EQ((co_await kernels::two_colours(g)).colours, (std::vector<std::uint8_t>{1, 0, 1, 0, 1, 0, 0, 0}));
    co_await distributed_graph::release(g);
    auto const h = co_await load(odd.path(), row_kinds::symmetric);
    EXPECT_EQ((co_await kernels::two_colours(h)).odd, std::pair(vertex{4}, vertex{5}));
    co_await distributed_graph::release(h);
  });
}

TEST_P(kernels_here, order_graphs_or_find_a_cycle) {
  std::vector<std::string> const texts{lonely,
                                       without_edges,
                                       two_cycles,
                                       random_edges(seed(), 300, 900, true),
                                       random_edges(seed(), 800, 1000, true),
                                       random_edges(seed(), 300, 900)};
  std::vector<bool> const ordered{true, true, false, true, true, false};
  run_here([&]() -> task<void> {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      graph_file const file("g.mtx", texts[i]);
      auto const g = co_await load(file.path(), row_kinds::out_and_in);
      auto const found = co_await kernels::find_topological_order(g);
      EXPECT_EQ(found.cycle.empty(), ordered[i]) << i;
      EXPECT_EQ(co_await kernels::what_is_wrong(g, found), "") << i;
      co_await distributed_graph::release(g);
    }
  });
}

TEST_P(kernels_here, give_a_known_order_and_notice_wrong_ones) {
  graph_file const file("g.el", "0 1\n1 2\n0 3\n3 2\n2 4\n5 4\n");
  run_here([&]() -> task<void> {
    auto const g = co_await load(file.path(), row_kinds::out_and_in);
    auto const found = co_await kernels::find_topological_order(g);
    EXPECT_EQ(found.generations, (std::vector<std::uint32_t>{0, 1, 2, 1, 3, 0}));
    EXPECT_EQ(found.order, (std::vector<vertex>{0, 5, 1, 3, 2, 4}));
    kernels::topological_order wrong = found;
    std::swap(wrong.order[4], wrong.order[5]);
    EXPECT_NE(co_await kernels::what_is_wrong(g, wrong), "");
    wrong = found;
    wrong.order[1] = 0;
    EXPECT_NE(co_await kernels::what_is_wrong(g, wrong), "");
    wrong = found;
    ++wrong.generations[5];
    EXPECT_NE(co_await kernels::what_is_wrong(g, wrong), "");
    kernels::topological_order const no_cycle{{}, {}, {0, 1, 2}};
    EXPECT_NE(co_await kernels::what_is_wrong(g, no_cycle), "");
    co_await distributed_graph::release(g);
  });
}

TEST_P(kernels_here, correlate_degrees) {
  using kernels::edge_end_degree;
  on_graphs(row_kinds::out_and_in, [](distributed_graph g, std::string spec) -> task<void> {
    for (auto const source : {edge_end_degree::out, edge_end_degree::in})
      for (auto const target : {edge_end_degree::out, edge_end_degree::in}) {
        double const found = co_await kernels::degree_assortativity(g, {source, target});
        if (g.edges() < 10) continue;
        EXPECT_NEAR(found, co_await kernels::degree_assortativity_alone(g, {source, target}), 1e-9) << spec;
      }
  });
  graph_file const star("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 1\n4 1\n5 1\n");
  graph_file const ring("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 2\n3 1\n");
  run_here([&]() -> task<void> {
    auto const g = co_await load(star.path(), row_kinds::out);
    EXPECT_DOUBLE_EQ(co_await kernels::degree_assortativity(g), -1);
    co_await distributed_graph::release(g);
    auto const h = co_await load(ring.path(), row_kinds::out);
    EXPECT_TRUE(std::isnan(co_await kernels::degree_assortativity(h)));
    co_await distributed_graph::release(h);
  });
}

std::vector<layout> layouts() {
  std::vector<layout> all = few_layouts();
  if (all.front().places != 0) {
    all.push_back({"smp", 1, 1});
    all.push_back({"smp", 1, 2, 2});
    all.push_back({"checked", 3, 1});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(layouts, kernels_here, testing::ValuesIn(layouts()), name_of);

}  // namespace
}  // namespace tess::test
