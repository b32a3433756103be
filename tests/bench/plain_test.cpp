// plain_test: the plain graph kernels give the verifiers' answers.
//
// Method: small graphs of every kind that takes another path through a kernel (dense enough to go bottom-up, long
// enough not to, falling apart, directed, without edges, not a multiple of 64 vertices), each with one thread and with
// two. The verifiers themselves are checked on a graph small enough to do by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "plain/build.hpp"
#include "plain/kernels.hpp"
#include "plain/verify.hpp"

namespace plain {
namespace {

struct sample {
  std::string name;
  std::uint32_t n;
  std::vector<edge> edges;
  bool directed;
};

std::vector<sample> samples() {
  std::vector<sample> made;
  for (bool const directed : {false, true}) {
    std::string const suffix = directed ? "_directed" : "_undirected";
    made.push_back({"lone_vertex" + suffix, 1, {}, directed});
    made.push_back({"no_edges" + suffix, 100, {}, directed});
    made.push_back({"loops_and_repetitions" + suffix, 3, {{0, 0}, {0, 1}, {0, 1}, {1, 0}}, directed});
    made.push_back({"path" + suffix, 4096, grid_edges(4096, 1), directed});
    made.push_back({"grid" + suffix, 100 * 130, grid_edges(100, 130), directed});
    made.push_back({"kron" + suffix, 4096, kron_edges(12, 16, 3), directed});
    for (std::uint64_t const seed : {1U, 2U, 3U}) {
      std::string const with_seed = suffix + "_seed_" + std::to_string(seed);
      made.push_back({"many_parts" + with_seed, 1000, random_edges(1000, 600, seed), directed});
      made.push_back({"one_large_part" + with_seed, 1001, random_edges(1001, 3000, seed), directed});
      made.push_back({"dense" + with_seed, 3000, random_edges(3000, 60'000, seed), directed});
    }
  }
  return made;
}

class plain_kernels : public ::testing::TestWithParam<std::tuple<sample, int>> {
 protected:
  [[nodiscard]] graph_view graph() const {
    return directed() ? graph_view(out_.view(), in_.view()) : graph_view(out_.view());
  }
  [[nodiscard]] bool directed() const { return std::get<0>(GetParam()).directed; }
  [[nodiscard]] int threads() const { return std::get<1>(GetParam()); }

 private:
  [[nodiscard]] csr_graph stored(direction way) const {
    auto const& [name, n, edges, is_directed] = std::get<0>(GetParam());
    return {n, edges, is_directed ? way : direction::both};
  }
  csr_graph out_ = stored(direction::forward);
  csr_graph in_ = stored(direction::backward);
};

TEST_P(plain_kernels, bfs_builds_a_shortest_path_tree_from_any_source) {
  bfs search(graph(), threads());
  for (vertex source = 0; source < graph().n(); source += graph().n() / 7 + 1) {
    EXPECT_TRUE(is_shortest_path_tree(graph().out, source, search.run(source))) << "from " << source;
  }
}

TEST_P(plain_kernels, pagerank_agrees_with_power_iteration_in_scores_and_iterations) {
  pagerank kernel(graph(), threads());
  for (auto const& [tolerance, iterations_max] : {std::pair(1e-4, 20), std::pair(1e-6, 200), std::pair(1.0, 0)}) {
    auto const expected = power_iteration(graph().out, pagerank::damping, tolerance, iterations_max);
    auto const found = kernel.run(tolerance, iterations_max);
    EXPECT_EQ(found.iterations, expected.iterations);
    for (vertex v = 0; v < graph().n(); ++v) {
      // What is pulled are floats, whose rounding adds up to 0.85 / 0.15 of half a unit of their last place.
      ASSERT_NEAR(found.scores[v], expected.scores[v], 4e-7 * expected.scores[v]) << "vertex " << v;
    }
  }
}

TEST_P(plain_kernels, pagerank_is_the_same_bit_by_bit_for_any_number_of_threads) {
  pagerank alone(graph(), 1);
  pagerank together(graph(), threads());
  ranking const a = alone.run(1e-8, 50);
  ranking const b = together.run(1e-8, 50);
  EXPECT_EQ(a.change, b.change);
  EXPECT_TRUE(std::ranges::equal(a.scores, b.scores));
}

TEST_P(plain_kernels, components_name_the_smallest_vertex_of_each) {
  components kernel(graph(), threads());
  for (int run = 0; run < 3; ++run) EXPECT_TRUE(std::ranges::equal(kernel.run(), union_find(graph().out)));
}

std::uint32_t some_weight(vertex u, vertex v) {
  auto const [low, high] = std::minmax(u, v);
  return (low * 31 + high * 17) % 255;
}

TEST_P(plain_kernels, sssp_finds_the_distances_of_dijkstra_from_any_source_for_any_delta) {
  weighted_targets const weighted(graph().out, some_weight);
  sssp search(weighted.view(), threads());
  for (vertex source = 0; source < graph().n(); source += graph().n() / 3 + 1) {
    auto const expected = dijkstra(weighted.view(), source);
    for (std::uint32_t const delta : {1U, 20U, 1000U})
      EXPECT_TRUE(std::ranges::equal(search.run(source, delta), expected)) << "from " << source << ", delta " << delta;
  }
}

TEST_P(plain_kernels, bc_agrees_with_brandes) {
  bc kernel(graph(), threads());
  std::vector<vertex> const sources{0, graph().n() / 2, graph().n() - 1};
  auto const expected = brandes(graph().out, sources);
  for (int run = 0; run < 2; ++run) {
    auto const found = kernel.run(sources);
    for (vertex v = 0; v < graph().n(); ++v) ASSERT_NEAR(found[v], expected[v], 1e-9 * expected[v]) << "vertex " << v;
  }
}

TEST_P(plain_kernels, triangles_are_as_many_as_looked_up) {
  if (directed()) GTEST_SKIP() << "triangles have no directions";
  triangles kernel(graph().out, threads());
  std::uint64_t const expected = triangles_by_look_up(graph().out);
  for (int run = 0; run < 2; ++run) EXPECT_EQ(kernel.run(), expected);
}

INSTANTIATE_TEST_SUITE_P(graphs, plain_kernels,
                         ::testing::Combine(::testing::ValuesIn(samples()), ::testing::Values(1, 2)),
                         [](auto const& info) {
                           return std::get<0>(info.param).name + "_threads_" + std::to_string(std::get<1>(info.param));
                         });

TEST(plain_verifiers, give_the_answers_found_by_hand) {
  // 0 -> 1 -> 2, 3 -> 2, and 4 alone.
  csr_graph const graph(5, {{0, 1}, {1, 2}, {3, 2}}, direction::forward);
  csr_view const out = graph.view();
  EXPECT_EQ(queue_levels(out, 0), (std::vector<std::uint32_t>{0, 1, 2, unreached, unreached}));
  EXPECT_EQ(union_find(out), (std::vector<vertex>{0, 0, 0, 0, 4}));

  double const base = 0.15 / 5;
  double const second = base + 0.85 * base;
  auto const ranked = power_iteration(out, 0.85, 1e-15, 100);
  EXPECT_NEAR(ranked.scores[1], second, 1e-12);
  EXPECT_NEAR(ranked.scores[2], base + 0.85 * (second + base), 1e-12);
}

TEST(plain_verifiers, give_the_distances_scores_and_triangles_found_by_hand) {
  // 0 - 1 - 2 - 0 is a triangle, 3 hangs on 2.
  csr_graph const graph(4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}}, direction::both);
  weighted_targets const weighted(graph.view(), [](vertex u, vertex v) { return u + v == 2 ? 10U : 2U; });
  EXPECT_EQ(dijkstra(weighted.view(), 0), (std::vector<std::uint32_t>{0, 2, 4, 6}));
  EXPECT_EQ(triangles_by_look_up(graph.view()), 1U);
  EXPECT_EQ(brandes(graph.view(), std::vector<vertex>{0, 1, 2, 3}), (std::vector<double>{0, 0, 4, 0}));
}

TEST(plain_verifiers, reject_trees_that_are_not_shortest_or_not_in_the_graph) {
  csr_graph const graph(4, {{0, 1}, {0, 2}, {1, 2}, {2, 3}}, direction::forward);
  auto const accepts = [&](std::vector<vertex> const& parents) {
    return is_shortest_path_tree(graph.view(), 0, parents);
  };
  EXPECT_TRUE(accepts({0, 0, 0, 2}));
  EXPECT_FALSE(accepts({0, 0, 1, 2})) << "2 is one step from 0, not two";
  EXPECT_FALSE(accepts({0, 0, 0, 1})) << "there is no edge from 1 to 3";
  EXPECT_FALSE(accepts({0, 0, 0, unreached})) << "3 can be reached";
  EXPECT_FALSE(accepts({1, 0, 0, 2})) << "the source is its own parent";
}

TEST(plain_rest, leaves_no_thread_spinning) {
  csr_graph const arrays(1024, random_edges(1024, 8192, 1), direction::both);
  pagerank kernel(graph_view(arrays.view()), 2);
  (void)kernel.run(1e-4, 20);
  rest();
  // CPU time of the whole process: a thread that went on spinning would use most of the time slept.
  std::clock_t const before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.02);
}

}  // namespace
}  // namespace plain
