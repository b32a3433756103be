// algorithms: one function for each kernel: runs it at the places, without the interpreter's lock, and returns arrays.
//
// Shapes    an array has an element for each vertex, by its number, unless it says otherwise.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "at_places.hpp"
#include "held_graph.hpp"
#include "kernels/bc.hpp"
#include "kernels/bfs.hpp"
#include "kernels/clustering.hpp"
#include "kernels/gather_block_array.hpp"
#include "kernels/general_pagerank.hpp"
#include "kernels/pagerank.hpp"
#include "kernels/sssp.hpp"
#include "kernels/triangles.hpp"
#include "module.hpp"

namespace engine {

namespace {

using graph::vertex;

void check_vertex(held_graph const& g, std::uint64_t v) {
  if (v >= g.rows().vertices())
    throw nb::index_error(("vertex " + std::to_string(v) + " of " + std::to_string(g.rows().vertices())).c_str());
}

std::vector<vertex> vertices_of(held_graph const& g, array_in<std::uint32_t> const& given) {
  auto const all = span_of(given);
  for (vertex const v : all) check_vertex(g, v);
  return {all.begin(), all.end()};
}

std::tuple<array_out<std::uint32_t>, array_out<std::uint32_t>> bfs(held_graph& g, vertex source) {
  check_vertex(g, source);
  struct tree {
    std::vector<std::uint32_t> distances;
    std::vector<vertex> parents;
  };
  tree found = at_places([&]() -> tess::task<tree> {
    auto const at = co_await g.adopted();
    auto const kernel = co_await g.kernel<kernels::bfs>([&] { return kernels::bfs::make(at); });
    auto const depths = co_await tess::global_array<std::uint32_t>::make(at.block() * tess::places());
    co_await tess::on_all_places(
        [](kernels::bfs k, graph::distributed_graph all, tess::global_array<std::uint32_t> into,
           vertex from) -> tess::task<void> {
          co_await k.run_here_and_keep_levels(from);
          std::uint32_t* const own = into.local().data();
          std::fill_n(own, all.part().count, kernels::unreached);
          vertex const* const order = k.order().local().data();
          std::vector<std::uint64_t> const& begins = k.level_begins();
          for (std::uint32_t level = 0; level + 1 < begins.size(); ++level)
            for (std::uint64_t i = begins[level]; i < begins[level + 1]; ++i) own[order[i] - all.part().first] = level;
        },
        kernel, at, depths, source);
    tree made{co_await kernels::gather_block_array(at, depths),
              co_await kernels::gather_block_array(at, kernel.parents())};
    co_await tess::global_array<std::uint32_t>::release(depths);
    co_return made;
  });
  return {array_of(std::move(found.distances)), array_of(std::move(found.parents))};
}

template <class Distance>
tess::task<std::vector<double>> paths(held_graph& g, graph::distributed_graph at, graph::edge_weights w, vertex source,
                                      double delta) {
  auto const kernel = co_await g.kernel<kernels::sssp<Distance>>([&] { return kernels::sssp<Distance>::make(at, w); });
  if (delta <= 0) delta = co_await kernels::sssp<Distance>::usual_delta(at, w);
  static_cast<void>(co_await kernel.run(source, delta));
  std::vector<Distance> const found = co_await kernel.distances();
  std::vector<double> distances(found.size());
  std::ranges::transform(found, distances.begin(), [](Distance d) {
    return d == kernels::infinitely_far<Distance> ? std::numeric_limits<double>::infinity() : static_cast<double>(d);
  });
  co_return distances;
}

array_out<double> sssp(held_graph& g, vertex source, double delta) {
  check_vertex(g, source);
  return array_of(at_places([&]() -> tess::task<std::vector<double>> {
    auto const at = co_await g.adopted();
    auto const w = co_await g.weights();
    if (w.integers()) co_return co_await paths<std::uint32_t>(g, at, w, source, delta);
    co_return co_await paths<double>(g, at, w, source, delta);
  }));
}

std::tuple<array_out<double>, int, double> pagerank(held_graph& g, double damping, double tolerance, int iterations) {
  kernels::pagerank_result result;
  std::vector<double> scores = at_places([&]() -> tess::task<std::vector<double>> {
    auto const at = co_await g.adopted();
    auto const kernel = co_await g.kernel<kernels::pagerank>([&] { return kernels::pagerank::make(at); });
    result = co_await kernel.run({damping, tolerance, iterations});
    co_return co_await kernels::gather_block_array(at, kernel.scores());
  });
  return {array_of(std::move(scores)), result.iterations, result.change};
}

using shares_in = std::optional<array_in<double>>;

// One for each vertex, from 0, not all 0; or none.
std::vector<double> shares_of(held_graph const& g, shares_in const& given, char const* name) {
  if (!given) return {};
  auto const all = span_of(*given);
  double sum = 0;
  for (double const share : all) sum += share >= 0 ? share : std::numeric_limits<double>::quiet_NaN();
  if (all.size() != g.rows().vertices() || !(sum > 0) || sum == std::numeric_limits<double>::infinity())
    throw nb::value_error(
        (std::string(name) + ": expected a number from 0 for each vertex, not all of them 0").c_str());
  return {all.begin(), all.end()};
}

std::tuple<array_out<double>, int, bool> general_pagerank(held_graph& g, double damping, double tolerance,
                                                          int iterations, bool weighted, shares_in const& restart,
                                                          shares_in const& dangling) {
  kernels::general_pagerank_options const options{
      damping, tolerance, iterations, shares_of(g, restart, "personalization"), shares_of(g, dangling, "dangling"), {}};
  kernels::general_pagerank_result made = at_places([&]() -> tess::task<kernels::general_pagerank_result> {
    auto const at = co_await g.adopted();
    std::optional<graph::edge_weights> w;
    if (weighted && g.rows().weighted()) w = co_await g.weights();
    co_return co_await kernels::general_pagerank(at, w, options);
  });
  return {array_of(std::move(made.scores)), made.iterations, made.converged};
}

std::uint64_t triangles(held_graph& g) {
  return at_places([&]() -> tess::task<std::uint64_t> {
    auto const at = co_await g.adopted_undirected();
    auto const kernel = co_await g.kernel<kernels::triangles>([&] { return kernels::triangles::make(at); });
    co_return co_await kernel.run(kernels::form::words);
  });
}

// The triangles and the coefficient of each vertex, and the transitivity.
std::tuple<array_out<std::uint64_t>, array_out<double>, double> clustering(held_graph& g) {
  kernels::clustering_result found = at_places([&]() -> tess::task<kernels::clustering_result> {
    co_return co_await kernels::clustering(co_await g.adopted_undirected());
  });
  return {array_of(std::move(found.triangles)), array_of(std::move(found.coefficients)), found.transitivity};
}

array_out<double> betweenness(held_graph& g, array_in<std::uint32_t> const& sources) {
  std::vector<vertex> const from = vertices_of(g, sources);
  return array_of(at_places([&]() -> tess::task<std::vector<double>> {
    auto const at = co_await g.adopted();
    auto const kernel = co_await g.kernel<kernels::bc>([&] { return kernels::bc::make(at); });
    kernels::bc_result const result = co_await kernel.run(from);
    if (!result.counted)
      throw tess::error("betweenness", "more than 1.8e308 shortest paths between two vertices",
                        "a graph with fewer paths");
    co_return co_await kernels::gather_block_array(at, kernel.scores());
  }));
}

}  // namespace

void declare_algorithms(nb::module_& m) {
  m.def("bfs", &bfs, nb::arg("graph"), nb::arg("source"));
  m.def("sssp", &sssp, nb::arg("graph"), nb::arg("source"), nb::arg("delta") = 0.0);
  m.def("pagerank", &pagerank, nb::arg("graph"), nb::arg("damping"), nb::arg("tolerance"), nb::arg("iterations"));
  m.def("general_pagerank", &general_pagerank, nb::arg("graph"), nb::arg("damping"), nb::arg("tolerance"),
        nb::arg("iterations"), nb::arg("weighted"), nb::arg("restart").none(), nb::arg("dangling").none());
  m.def("triangles", &triangles, nb::arg("graph"));
  m.def("clustering", &clustering, nb::arg("graph"));
  m.def("betweenness", &betweenness, nb::arg("graph"), nb::arg("sources"));
}

}  // namespace engine
