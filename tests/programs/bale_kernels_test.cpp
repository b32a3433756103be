// bale_kernels: the kernels of the bale suite, beyond what their programs verify: verifiers detect errors, impossible
// requests are refused, and random results have the right distribution.
#include <array>
#include <map>
#include <vector>

#include "graph/graph_input.hpp"
#include "kernels/permute.hpp"
#include "kernels/topological_sort.hpp"
#include "kernels/transpose.hpp"
#include "kernels/triangles.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

using kernels::form;
constexpr std::array forms{form::words, form::messages};

TEST(random_permutations, of_three_are_equally_frequent) {
  constexpr std::uint64_t draws = 60000;
  std::map<std::vector<std::uint32_t>, std::uint64_t> counts;
  for (std::uint64_t seed = 0; seed < draws; ++seed) ++counts[kernels::random_permutation_alone(3, seed)];
  ASSERT_EQ(counts.size(), 6U);
  double chi_squared = 0;
  for (auto const& [order, count] : counts) {
    double const off = static_cast<double>(count) - draws / 6.0;
    chi_squared += off * off / (draws / 6.0);
  }
  // Exceeded in one of 10,000 fair samples, for five degrees of freedom.
  EXPECT_LT(chi_squared, 25.7);
}

TEST(random_permutations, with_a_number_twice_or_too_large_are_noticed) {
  EXPECT_TRUE(kernels::is_permutation({2, 0, 1}));
  EXPECT_FALSE(kernels::is_permutation({2, 0, 2}));
  EXPECT_FALSE(kernels::is_permutation({3, 0, 1}));
}

TEST(triangular_orders, that_are_wrong_are_noticed) {
  // Entries (0, 0), (0, 1), (1, 1).
  kernels::gathered_matrix const m{{0, 2, 3}, {0, 1, 1}};
  EXPECT_EQ(kernels::what_is_wrong(m, {0, 1}, {0, 1}), "");
  EXPECT_NE(kernels::what_is_wrong(m, {1, 0}, {1, 0}), "");                    // below the diagonal
  EXPECT_NE(kernels::what_is_wrong(m, {0, 0}, {0, 1}), "");                    // not a permutation
  EXPECT_NE(kernels::what_is_wrong({{0, 1, 2}, {1, 1}}, {0, 1}, {0, 1}), "");  // no diagonal
}

class bale_kernels : public on_layouts {};

TEST_P(bale_kernels, give_a_matrix_back_that_is_transposed_twice_or_permuted_and_back) {
  run_here([]() -> task<void> {
    auto const g = co_await ::graph::distributed_graph::load(::graph::open_graph("kron:7,4"), ::graph::row_kinds::out);
    auto const m = co_await kernels::matrix_of(g);
    auto const original = co_await tess::gather(m);
    for (form const how : forms) {
      auto const once = co_await kernels::transpose(m, how);
      auto const twice = co_await kernels::transpose(once, how);
      EXPECT_EQ(co_await tess::gather(twice), original);
      auto const rows = co_await kernels::random_permutation(m.rows(), 1, how);
      auto const columns = co_await kernels::random_permutation(m.rows(), 2, how);
      auto const moved = co_await kernels::permute(m, rows, columns, how);
      EXPECT_EQ(moved.entries(), m.entries());
      EXPECT_NE(co_await tess::gather(moved), original);
      EXPECT_EQ(co_await tess::gather(moved),
                kernels::permuted(original, co_await kernels::gather(rows), co_await kernels::gather(columns)));
      co_await kernels::permutation::release(columns);
      co_await kernels::permutation::release(rows);
      for (auto const& made : {moved, twice, once}) co_await kernels::sparse_matrix::release(made);
    }
    co_await kernels::sparse_matrix::release(m);
    co_await ::graph::distributed_graph::release(g);
  });
}

TEST_P(bale_kernels, refuse_to_sort_a_cyclic_graph) {
  run_here([]() -> task<void> {
    // Undirected: every vertex waits for its neighbours, which wait for it.
    auto const g = co_await ::graph::distributed_graph::load(::graph::open_graph("grid:3x3"), ::graph::row_kinds::out);
    auto const m = co_await kernels::matrix_of(g);
    for (form const how : forms) {
      std::string said;
      try {
        static_cast<void>(co_await kernels::topological_sort(m, m, how));
      } catch (tess::error const& e) {
        said = e.what();
      }
      EXPECT_NE(said.find("no order"), std::string::npos) << said;
    }
    co_await kernels::sparse_matrix::release(m);
    co_await ::graph::distributed_graph::release(g);
  });
}

TEST_P(bale_kernels, sort_into_as_many_levels_as_the_longest_chain) {
  run_here([]() -> task<void> {
    // Full: each row waits for all rows below.
    auto const m = co_await kernels::random_upper_triangle(70, 1, 5);
    EXPECT_EQ(m.entries(), 70U * 71 / 2);
    for (form const how : forms) {
      auto const t = co_await kernels::transpose(m, how);
      auto const order = co_await kernels::topological_sort(m, t, how);
      EXPECT_EQ(order.levels, 70U);
      // The only order that there is.
      auto const rows = co_await kernels::gather(order.rows);
      for (std::uint32_t i = 0; i < 70; ++i) EXPECT_EQ(rows[i], i);
      co_await kernels::permutation::release(order.columns);
      co_await kernels::permutation::release(order.rows);
      co_await kernels::sparse_matrix::release(t);
    }
    co_await kernels::sparse_matrix::release(m);
  });
}

TEST_P(bale_kernels, count_triangles_of_rows_that_fill_several_packets) {
  run_here([]() -> task<void> {
    auto const g =
        co_await ::graph::distributed_graph::load(::graph::open_graph("uniform:9,400"), ::graph::row_kinds::out);
    auto const t = co_await kernels::triangles::make(g);
    std::uint64_t const expected = co_await kernels::triangles_alone(g);
    EXPECT_GT(expected, 1000000U);
    for (form const how : forms) {
      EXPECT_EQ(co_await t.run(how), expected);
      EXPECT_EQ(co_await t.count(how), expected);
    }
    co_await kernels::triangles::release(t);
    co_await ::graph::distributed_graph::release(g);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, bale_kernels, testing::ValuesIn(few_layouts()), name_of);

}  // namespace
}  // namespace tess::test
