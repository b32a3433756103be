// triangles: both forms on graphs with and without an order, copied and borrowed, against one thread.
#include "kernels/triangles.hpp"

#include "kernels/small_graphs.hpp"

namespace tess::test {
namespace {

class triangles : public on_layouts {};

task<void> expect_all_forms(distributed_graph g, std::string of, std::optional<bool> by_order, std::uint64_t expected) {
  auto const kernel = co_await kernels::triangles::make(g);
  if (by_order) EXPECT_EQ(kernel.needs_order(kernels::form::words), *by_order) << of;
  EXPECT_TRUE(kernel.needs_order(kernels::form::messages)) << of;
  // Twice: nothing of a run is left.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(co_await kernel.run(kernels::form::words), expected) << of;
    EXPECT_EQ(co_await kernel.run(kernels::form::messages), expected) << of;
  }
  co_await kernels::triangles::release(kernel);
}
task<void> expect_all_forms(distributed_graph g, std::string of, std::optional<bool> by_order) {
  co_await expect_all_forms(g, of, by_order, co_await kernels::triangles_alone(g));
}

TEST_P(triangles, are_those_that_one_thread_counts) {
  run_here([]() -> task<void> {
    for (auto const& [spec, by_order] : {std::pair{"kron:9", std::optional(true)},
                                         {"uniform:9,40", true},
                                         {"uniform:9,3", {}},
                                         {"uniform:11,4", {}},
                                         {"grid:33x27", false},
                                         {"grid:400x2", false},
                                         {"grid:1x1", false}})
      co_await with_graph(spec, row_kinds::symmetric,
                          [=](distributed_graph g) { return expect_all_forms(g, spec, by_order); });
  });
}

/// Rows with triangles across all borders between places.
TEST_P(triangles, of_a_band_are_known) {
  run_here([]() -> task<void> {
    std::vector<weighted_edge> band;
    constexpr vertex n = 900;
    for (vertex v = 0; v < n; ++v)
      for (vertex far : {1U, 2U, 300U, 301U})
        if (v + far < n) band.push_back({v, v + far});
    co_await with_graph(n, band, row_kinds::symmetric, [](distributed_graph g) -> task<void> {
      co_await expect_all_forms(g, "band", false);
      auto const kernel = co_await kernels::triangles::make(g);
      // v, v + 1, v + 2; v, v + 1, v + 301; v, v + 300, v + 301.
      EXPECT_EQ(co_await kernel.run(kernels::form::words), (n - 2) + 2 * (n - 301));
      co_await kernels::triangles::release(kernel);
    });
  });
}

TEST_P(triangles, of_one_hub_need_an_order) {
  run_here([]() -> task<void> {
    std::vector<weighted_edge> wheel;
    for (vertex v = 1; v <= 200; ++v) {
      wheel.push_back({0, v});
      wheel.push_back({v, v == 200 ? 1 : v + 1});
    }
    co_await with_graph(201, wheel, row_kinds::symmetric,
                        [](distributed_graph g) { return expect_all_forms(g, "wheel", true); });
  });
}

TEST(triangles_of_one_process, are_the_same_in_borrowed_rows) {
  run_job({"smp", 3, 1, 2}, []() -> task<void> {
    std::vector<std::uint32_t> sources;
    std::vector<std::uint32_t> targets;
    for (vertex v = 0; v < 500; ++v)
      for (vertex far : {1U, 2U, 200U, 201U})
        if (v + far < 500) {
          sources.push_back(v);
          targets.push_back(v + far);
        }
    ::graph::csr const whole = ::graph::make_csr(500, sources, targets, {}, {.directed = false});
    auto const g = co_await distributed_graph::adopt(whole, row_kinds::out, ::graph::adoption::borrow);
    co_await expect_all_forms(g, "borrowed", false, 498 + 2 * (500 - 201));
    co_await distributed_graph::release(g);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, triangles, testing::ValuesIn(kernel_layouts()), name_of);

}  // namespace
}  // namespace tess::test
