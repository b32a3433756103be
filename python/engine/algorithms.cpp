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
#include "graph/error.hpp"
#include "held_graph.hpp"
#include "kernels/bc.hpp"
#include "kernels/bfs.hpp"
#include "kernels/closeness.hpp"
#include "kernels/clustering.hpp"
#include "kernels/degrees.hpp"
#include "kernels/gather_block_array.hpp"
#include "kernels/general_pagerank.hpp"
#include "kernels/pagerank.hpp"
#include "kernels/sssp.hpp"
#include "kernels/triangles.hpp"
#include "kernels/vertex_list.hpp"
#include "module.hpp"
#include "vertices_of.hpp"

namespace engine {

namespace {

using graph::vertex;

std::tuple<array_out<std::uint32_t>, array_out<std::uint32_t>> bfs(held_graph& g,
                                                                   array_in<std::uint32_t> const& sources) {
  std::vector<vertex> const starts = vertices_of(g, sources);
  struct tree {
    std::vector<std::uint32_t> distances;
    std::vector<vertex> parents;
  };
  tree found = at_places([&]() -> tess::task<tree> {
    auto const at = co_await g.adopted();
    auto const kernel = co_await g.kernel<kernels::bfs>([&] { return kernels::bfs::make(at); });
    auto const depths = co_await tess::global_array<std::uint32_t>::make(at.block() * tess::places());
    kernels::vertex_list const list(starts);
    co_await tess::on_all_places(
        [](kernels::bfs k, graph::distributed_graph all, tess::global_array<std::uint32_t> into,
           kernels::vertex_list from) -> tess::task<void> {
          co_await k.run_here_and_keep_levels(co_await from.read());
          std::uint32_t* const own = into.local().data();
          std::fill_n(own, all.part().count, kernels::unreached);
          vertex const* const order = k.order().local().data();
          std::vector<std::uint64_t> const& begins = k.level_begins();
          for (std::uint32_t level = 0; level + 1 < begins.size(); ++level)
            for (std::uint64_t i = begins[level]; i < begins[level + 1]; ++i) own[order[i] - all.part().first] = level;
        },
        kernel, at, depths, list);
    kernels::vertex_list::release(list);
    tree made{co_await kernels::gather_block_array(at, depths),
              co_await kernels::gather_block_array(at, kernel.parents())};
    co_await tess::global_array<std::uint32_t>::release(depths);
    co_return made;
  });
  return {array_of(std::move(found.distances)), array_of(std::move(found.parents))};
}

struct paths {
  std::vector<double> distances;
  std::vector<vertex> parents;  // if they were asked for
};

template <class Distance>
tess::task<paths> find_paths(held_graph& g, graph::distributed_graph at, graph::edge_weights w,
                             std::vector<vertex> const& sources, double delta, bool parents) {
  auto const kernel = co_await g.kernel<kernels::sssp<Distance>>([&] { return kernels::sssp<Distance>::make(at, w); });
  if (delta <= 0) delta = co_await kernels::sssp<Distance>::usual_delta(at, w);
  static_cast<void>(co_await kernel.run(sources, delta));
  std::vector<Distance> const found = co_await kernel.distances();
  paths made;
  made.distances.resize(found.size());
  std::ranges::transform(found, made.distances.begin(), [](Distance d) {
    return d == kernels::infinitely_far<Distance> ? std::numeric_limits<double>::infinity() : static_cast<double>(d);
  });
  if (parents) made.parents = co_await kernel.parents(sources);
  co_return made;
}

std::tuple<array_out<double>, array_out<std::uint32_t>> sssp(held_graph& g, array_in<std::uint32_t> const& sources,
                                                             double delta, bool parents) {
  std::vector<vertex> const from = vertices_of(g, sources);
  paths found = at_places([&]() -> tess::task<paths> {
    auto const at = co_await g.adopted();
    auto const w = co_await g.weights();
    if (w.integers()) co_return co_await find_paths<std::uint32_t>(g, at, w, from, delta, parents);
    co_return co_await find_paths<double>(g, at, w, from, delta, parents);
  });
  return {array_of(std::move(found.distances)), array_of(std::move(found.parents))};
}

std::tuple<array_out<double>, int, double> pagerank(held_graph& g, double damping, double tolerance, int iterations,
                                                    bool euclidean) {
  kernels::pagerank_result result;
  std::vector<double> scores = at_places([&]() -> tess::task<std::vector<double>> {
    auto const at = co_await g.adopted();
    auto const kernel = co_await g.kernel<kernels::pagerank>([&] { return kernels::pagerank::make(at); });
    result = co_await kernel.run(
        {damping, tolerance, iterations, euclidean ? kernels::change_norm::euclidean : kernels::change_norm::sum});
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
                                                          shares_in const& dangling, shares_in const& start) {
  kernels::general_pagerank_options const options{damping,
                                                  tolerance,
                                                  iterations,
                                                  shares_of(g, restart, "personalization"),
                                                  shares_of(g, dangling, "dangling"),
                                                  shares_of(g, start, "start")};
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

double transitivity(held_graph& g) {
  return at_places([&]() -> tess::task<double> {
    auto const at = co_await g.adopted_undirected();
    double pairs = 0;
    for (vertex const d : co_await kernels::gather_degrees(at)) pairs += static_cast<double>(d) * (d - 1.0) / 2;
    auto const kernel = co_await g.kernel<kernels::triangles>([&] { return kernels::triangles::make(at); });
    auto const closed = 3 * static_cast<double>(co_await kernel.run(kernels::form::words));
    co_return pairs > 0 ? closed / pairs : 0;
  });
}

// The triangles and the coefficient of each vertex.
std::tuple<array_out<std::uint64_t>, array_out<double>> clustering(held_graph& g) {
  kernels::clustering_result found = at_places([&]() -> tess::task<kernels::clustering_result> {
    co_return co_await kernels::clustering(co_await g.adopted_undirected());
  });
  return {array_of(std::move(found.triangles)), array_of(std::move(found.coefficients))};
}

array_out<double> betweenness(held_graph& g, array_in<std::uint32_t> const& sources, bool endpoints, bool normalised) {
  std::vector<vertex> const from = vertices_of(g, sources);
  auto const ends = endpoints ? kernels::path_ends::counted : kernels::path_ends::left_out;
  std::vector<double> sums = at_places([&]() -> tess::task<std::vector<double>> {
    auto const at = co_await g.adopted();
    auto const kernel = co_await g.kernel<kernels::bc>([&] { return kernels::bc::make(at); });
    kernels::bc_result const result = co_await kernel.run(from, ends);
    if (!result.counted)
      throw graph::input_error("betweenness", 0, "more than 1.8e308 shortest paths between two vertices",
                               "a graph with fewer paths");
    co_return co_await kernels::gather_block_array(at, kernel.scores());
  });
  return array_of(kernels::centrality_of(std::move(sums), from, g.rows().directed, ends, normalised));
}

template <class Distance>
tess::task<kernels::distance_sums> weighted_sums(held_graph& g, graph::distributed_graph at, graph::edge_weights w,
                                                 std::vector<vertex> const& chosen, bool to_chosen) {
  auto const kernel = co_await g.kernel<kernels::sssp<Distance>>([&] { return kernels::sssp<Distance>::make(at, w); });
  double const delta = co_await kernels::sssp<Distance>::usual_delta(at, w);
  std::size_t const size = to_chosen ? chosen.size() : at.vertices();
  kernels::distance_sums sums{std::vector<std::uint64_t>(size), std::vector<double>(size), std::vector<double>(size)};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    static_cast<void>(co_await kernel.run(chosen[i], delta));
    std::vector<Distance> const distances = co_await kernel.distances();
    for (vertex v = 0; v < distances.size(); ++v) {
      if (v == chosen[i] || distances[v] == kernels::infinitely_far<Distance>) continue;
      std::size_t const of = to_chosen ? i : v;
      auto const d = static_cast<double>(distances[v]);
      ++sums.reached[of];
      sums.distances[of] += d;
      if (d > 0) sums.reciprocals[of] += 1 / d;
    }
  }
  co_return sums;
}

// For each vertex over paths from the chosen ones, or for these over paths from all. Weighted paths follow the edges
// in both cases.
std::tuple<array_out<std::uint64_t>, array_out<double>, array_out<double>> distance_sums(
    held_graph& g, array_in<std::uint32_t> const& chosen, bool to_chosen, bool weighted) {
  std::vector<vertex> const all = vertices_of(g, chosen);
  kernels::distance_sums sums = at_places([&]() -> tess::task<kernels::distance_sums> {
    auto const at = co_await g.adopted();
    if (!weighted) co_return co_await (to_chosen ? kernels::sums_to(at, all) : kernels::sums_from(at, all));
    auto const w = co_await g.weights();
    if (w.integers()) co_return co_await weighted_sums<std::uint32_t>(g, at, w, all, to_chosen);
    co_return co_await weighted_sums<double>(g, at, w, all, to_chosen);
  });
  return {array_of(std::move(sums.reached)), array_of(std::move(sums.distances)),
          array_of(std::move(sums.reciprocals))};
}

}  // namespace

void declare_algorithms(nb::module_& m) {
  m.def("bfs", &bfs, nb::arg("graph"), nb::arg("sources"));
  m.def("sssp", &sssp, nb::arg("graph"), nb::arg("sources"), nb::arg("delta"), nb::arg("parents"));
  m.def("pagerank", &pagerank, nb::arg("graph"), nb::arg("damping"), nb::arg("tolerance"), nb::arg("iterations"),
        nb::arg("euclidean"));
  m.def("general_pagerank", &general_pagerank, nb::arg("graph"), nb::arg("damping"), nb::arg("tolerance"),
        nb::arg("iterations"), nb::arg("weighted"), nb::arg("restart").none(), nb::arg("dangling").none(),
        nb::arg("start") = nb::none());
  m.def("triangles", &triangles, nb::arg("graph"));
  m.def("clustering", &clustering, nb::arg("graph"));
  m.def("transitivity", &transitivity, nb::arg("graph"));
  m.def("betweenness", &betweenness, nb::arg("graph"), nb::arg("sources"), nb::arg("endpoints"), nb::arg("normalised"));
  m.def("distance_sums", &distance_sums, nb::arg("graph"), nb::arg("chosen"), nb::arg("to_chosen"),
        nb::arg("weighted"));
}

}  // namespace engine
