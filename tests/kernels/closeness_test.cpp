// closeness: sums of distances on graphs where they are known, and on others against one search after the other.
#include "kernels/closeness.hpp"

#include <numeric>

#include "kernels/small_graphs.hpp"

namespace tess::test {
namespace {

class closeness : public on_layouts {};

void expect_near(kernels::distance_sums const& found, kernels::distance_sums const& right, std::string const& what) {
  EXPECT_EQ(found.reached, right.reached) << what;
  EXPECT_EQ(found.distances, right.distances) << what;
  ASSERT_EQ(found.reciprocals.size(), right.reciprocals.size()) << what;
  for (std::size_t i = 0; i < right.reciprocals.size(); ++i)
    EXPECT_NEAR(found.reciprocals[i], right.reciprocals[i], 1e-9) << what << " at " << i;
}

TEST_P(closeness, of_a_directed_path_is_known) {
  run_here([]() -> task<void> {
    std::vector<weighted_edge> path;
    for (vertex v = 0; v + 1 < 200; ++v) path.push_back({v, v + 1});
    co_await with_graph(200, path, row_kinds::out_and_in, [](distributed_graph g) -> task<void> {
      std::vector<vertex> all(200);
      std::iota(all.begin(), all.end(), 0U);
      auto const from = co_await kernels::sums_from(g, all);
      auto const to = co_await kernels::sums_to(g, {199, 0, 2});
      for (std::uint64_t v = 0; v < 200; ++v) {
        EXPECT_EQ(from.reached[v], v);
        EXPECT_EQ(from.distances[v], static_cast<double>(v * (v + 1) / 2));
      }
      EXPECT_EQ(to.reached, (std::vector<std::uint64_t>{199, 0, 2}));
      EXPECT_EQ(to.distances, (std::vector<double>{19900, 0, 3}));
      EXPECT_EQ(to.reciprocals[2], 1.5);
    });
  });
}

TEST_P(closeness, is_what_one_search_after_the_other_finds) {
  run_here([]() -> task<void> {
    graph_file const directed(500, [] {
      std::vector<weighted_edge> edges;
      for (vertex i = 0; i < 1500; ++i) edges.push_back({i * 7919 % 500, i * i % 499});
      return edges;
    }());
    for (std::string const& spec : {std::string("kron:9"), std::string("grid:23x31"), directed.path()})
      for (std::uint64_t const count : {1U, 64U, 65U, 300U})
        co_await with_graph(spec, row_kinds::out_and_in, [&](distributed_graph g) -> task<void> {
          std::vector<vertex> some(count);
          for (std::uint64_t i = 0; i < count; ++i) some[i] = static_cast<vertex>(i * 31 % g.vertices());
          std::string const what = spec + " " + std::to_string(count);
          expect_near(co_await kernels::sums_from(g, some), co_await kernels::sums_from_alone(g, some), what);
          expect_near(co_await kernels::sums_to(g, some), co_await kernels::sums_to_alone(g, some), what);
        });
  });
}

TEST_P(closeness, is_zero_without_edges) {
  run_here([]() -> task<void> {
    co_await with_graph(3, {}, row_kinds::out_and_in, [](distributed_graph g) -> task<void> {
      auto const found = co_await kernels::sums_from(g, {0, 1, 2});
      EXPECT_EQ(found.reached, (std::vector<std::uint64_t>{0, 0, 0}));
      EXPECT_TRUE((co_await kernels::sums_to(g, {})).reached.empty());
      EXPECT_EQ(kernels::closeness_of(0, 0, 2, true), 0);
    });
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, closeness, testing::ValuesIn(kernel_layouts()), name_of);

}  // namespace
}  // namespace tess::test
