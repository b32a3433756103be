// random_walks: walks are along edges, equal on every layout, and their steps as frequent as their weights say.
//
// Method: on graphs of a few vertices with many walks, Pearson's chi-squared of the counts of steps, for a fixed seed;
// the bounds are those that one in 10,000 seeds exceeds.
#include "kernels/random_walks.hpp"

#include <map>

#include "kernels/small_graphs.hpp"

namespace tess::test {
namespace {

using kernels::walk_rules;

class random_walks : public on_layouts {};

std::vector<vertex> all_vertices(distributed_graph g, unsigned times) {
  std::vector<vertex> starts(g.vertices() * times);
  for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = static_cast<vertex>(i % g.vertices());
  return starts;
}

TEST_P(random_walks, are_along_edges_and_the_same_everywhere) {
  run_here([]() -> task<void> {
    // Checksums of the vertices, which are the same on every layout.
    std::map<std::string, std::uint64_t> const sums{
        {"kron:8", 170898353}, {"uniform:9,3", 768455896}, {"grid:23x17", 466553921}};
    for (auto const& [spec, sum] : sums)
      co_await with_graph(spec, row_kinds::out_and_in, [&](distributed_graph g) -> task<void> {
        std::vector<vertex> const starts = all_vertices(g, 2);
        std::uint64_t total = 0;
        for (walk_rules const& rules :
             {walk_rules{20, 7, 1, 1}, walk_rules{20, 7, 0.25, 4}, walk_rules{20, 7, 3, 0.5}}) {
          auto const walks = co_await kernels::random_walks(g, std::nullopt, starts, rules);
          EXPECT_EQ(co_await kernels::check_walks(g, std::nullopt, starts, rules.length, walks), "") << spec;
          for (std::size_t i = 0; i < walks.size(); ++i)
            total += (walks[i] + std::uint64_t{1}) % (1ULL << 32) * (i % 97);
        }
        EXPECT_EQ(total, sum) << spec;
      });
  });
}

// Steps from vertex 0 of walks that came from vertex 1, by their ends.
std::map<vertex, double> steps_after_1_0(std::vector<vertex> const& walks, std::uint64_t length) {
  std::map<vertex, double> counts;
  for (std::size_t i = 0; i < walks.size(); i += length + 1)
    for (std::size_t s = i; s + 2 <= i + length; ++s)
      if (walks[s] == 1 && walks[s + 1] == 0) ++counts[walks[s + 2]];
  return counts;
}

double chi_squared(std::map<vertex, double> counts, std::map<vertex, double> const& weights) {
  double all = 0, of_weights = 0, sum = 0;
  for (auto const& [v, count] : counts) all += count;
  for (auto const& [v, weight] : weights) of_weights += weight;
  EXPECT_GT(all, 2000);
  for (auto const& [v, weight] : weights) {
    double const expected = all * weight / of_weights;
    sum += (counts[v] - expected) * (counts[v] - expected) / expected;
  }
  EXPECT_EQ(counts.size(), weights.size());
  return sum;
}

// 0 has the neighbours 1 to 4; 1 and 2 are neighbours, the others are not.
std::vector<weighted_edge> both_ways(std::vector<weighted_edge> edges) {
  for (std::size_t i = 0, n = edges.size(); i < n; ++i)
    edges.push_back({edges[i].target, edges[i].source, edges[i].weight});
  return edges;
}
constexpr double chi_squared_max = 21.1;  // three degrees of freedom, 0.0001

TEST_P(random_walks, take_steps_as_often_as_node2vec_says) {
  run_here([]() -> task<void> {
    auto const edges = both_ways({{0, 1}, {0, 2}, {0, 3}, {0, 190}, {1, 2}});
    co_await with_graph(200, edges, row_kinds::out_and_in, [](distributed_graph g) -> task<void> {
      for (auto const [p, q] : {std::pair(1.0, 1.0), std::pair(0.2, 3.0), std::pair(4.0, 0.5), std::pair(0.1, 0.2)}) {
        std::vector<vertex> const starts(2000, 1);
        auto const walks = co_await kernels::random_walks(g, std::nullopt, starts, {20, 3, p, q});
        double const found = chi_squared(steps_after_1_0(walks, 20), {{1, 1 / p}, {2, 1}, {3, 1 / q}, {190, 1 / q}});
        EXPECT_LT(found, chi_squared_max) << "p " << p << ", q " << q;
      }
    });
  });
}

TEST_P(random_walks, follow_weights_and_end_where_there_is_no_edge) {
  run_here([]() -> task<void> {
    graph_file const file(200, both_ways({{0, 1, 0.5}, {0, 2, 2}, {0, 3, 1}, {0, 190, 4}, {1, 2, 0.25}}));
    auto const input = ::graph::open_graph(file.path());
    auto const g = co_await distributed_graph::load(input, row_kinds::out_and_in);
    auto const w = co_await edge_weights::load(input, g);
    for (auto const [p, q] : {std::pair(1.0, 1.0), std::pair(0.2, 3.0), std::pair(4.0, 0.5)}) {
      std::vector<vertex> const starts(4000, 1);
      auto const walks = co_await kernels::random_walks(g, w, starts, {20, 5, p, q});
      EXPECT_EQ(co_await kernels::check_walks(g, w, starts, 20, walks), "");
      double const found = chi_squared(steps_after_1_0(walks, 20), {{1, 0.5 / p}, {2, 2}, {3, 1 / q}, {190, 4 / q}});
      EXPECT_LT(found, chi_squared_max) << "p " << p << ", q " << q;
    }
    EXPECT_EQ(co_await kernels::random_walks(g, w, {7}, {2, 1}),
              (std::vector<vertex>{7, kernels::no_step, kernels::no_step}));
    EXPECT_TRUE((co_await kernels::random_walks(g, w, {}, {2, 1})).empty());
    co_await edge_weights::release(w);
    co_await distributed_graph::release(g);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, random_walks, testing::ValuesIn(kernel_layouts()), name_of);

}  // namespace
}  // namespace tess::test
