// structure: the functions for components, cores, forests and communities, as algorithms.cpp has those for paths.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "at_places.hpp"
#include "held_graph.hpp"
#include "kernels/assortativity.hpp"
#include "kernels/bipartite.hpp"
#include "kernels/communities.hpp"
#include "kernels/components.hpp"
#include "kernels/core_numbers.hpp"
#include "kernels/independent_set.hpp"
#include "kernels/random_walks.hpp"
#include "kernels/similarity.hpp"
#include "kernels/spanning_forest.hpp"
#include "kernels/strong_components.hpp"
#include "kernels/topological_order.hpp"
#include "module.hpp"
#include "vertices_of.hpp"

namespace engine {

namespace {

using graph::vertex;

array_out<std::uint32_t> components(held_graph& g) {
  return array_of(at_places([&]() -> tess::task<std::vector<vertex>> {
    auto const at = co_await g.adopted_undirected();
    auto const kernel = co_await g.kernel<kernels::components>([&] { return kernels::components::make(at); });
    co_await kernel.run();
    co_return co_await kernel.labels();
  }));
}

array_out<std::uint32_t> strong_components(held_graph& g) {
  return array_of(at_places([&]() -> tess::task<std::vector<vertex>> {
    co_return co_await kernels::strong_components(co_await g.adopted());
  }));
}

array_out<std::uint32_t> core_numbers(held_graph& g) {
  return array_of(at_places([&]() -> tess::task<std::vector<std::uint32_t>> {
    co_return co_await kernels::core_numbers(co_await g.adopted_undirected());
  }));
}

array_out<std::uint8_t> independent_set(held_graph& g, std::uint64_t seed) {
  return array_of(at_places([&]() -> tess::task<std::vector<std::uint8_t>> {
    co_return co_await kernels::independent_set(co_await g.adopted_undirected(), seed);
  }));
}

std::tuple<array_out<std::uint32_t>, array_out<std::uint32_t>, array_out<double>> spanning_forest(held_graph& g) {
  kernels::forest const found = at_places([&]() -> tess::task<kernels::forest> {
    auto const at = co_await g.adopted_undirected();
    co_return co_await kernels::spanning_forest(at, co_await g.weights_undirected());
  });
  std::vector<std::uint32_t> u, v;
  std::vector<double> weights;
  for (kernels::weighted_edge const& e : found.edges) {
    u.push_back(e.u);
    v.push_back(e.v);
    weights.push_back(e.weight);
  }
  return {array_of(std::move(u)), array_of(std::move(v)), array_of(std::move(weights))};
}

// The colours, or an edge whose ends have the same.
std::tuple<array_out<std::uint8_t>, std::optional<std::pair<vertex, vertex>>> two_colours(held_graph& g) {
  kernels::two_colouring found = at_places([&]() -> tess::task<kernels::two_colouring> {
    co_return co_await kernels::two_colours(co_await g.adopted_undirected());
  });
  return {array_of(std::move(found.colours)), found.odd};
}

// The generations, the order, and a cycle, if there is one: then the others are empty.
std::tuple<array_out<std::uint32_t>, array_out<std::uint32_t>, array_out<std::uint32_t>> topological_order(
    held_graph& g) {
  if (!g.rows().directed) throw nb::value_error("the graph is undirected, expected a directed one");
  kernels::topological_order found = at_places([&]() -> tess::task<kernels::topological_order> {
    co_return co_await kernels::find_topological_order(co_await g.adopted());
  });
  return {array_of(std::move(found.generations)), array_of(std::move(found.order)), array_of(std::move(found.cycle))};
}

double assortativity(held_graph& g, bool source_in, bool target_in) {
  using kernels::edge_end_degree;
  kernels::assortativity_rules const rules{source_in ? edge_end_degree::in : edge_end_degree::out,
                                           target_in ? edge_end_degree::in : edge_end_degree::out};
  return at_places(
      [&]() -> tess::task<double> { co_return co_await kernels::degree_assortativity(co_await g.adopted(), rules); });
}

tess::task<std::optional<graph::edge_weights>> weights_if(held_graph& g, bool wanted) {
  if (!wanted || !g.rows().weighted()) co_return std::nullopt;
  co_return co_await g.weights_undirected();
}

array_out<std::uint32_t> louvain(held_graph& g, double resolution, std::uint64_t seed, bool weighted) {
  return array_of(at_places([&]() -> tess::task<std::vector<vertex>> {
    auto const at = co_await g.adopted_undirected();
    auto const w = co_await weights_if(g, weighted);
    co_return (co_await kernels::louvain(at, {.resolution = resolution, .seed = seed}, w)).labels;
  }));
}

array_out<std::uint32_t> label_propagation(held_graph& g, std::uint64_t seed, bool weighted) {
  return array_of(at_places([&]() -> tess::task<std::vector<vertex>> {
    auto const at = co_await g.adopted_undirected();
    auto const w = co_await weights_if(g, weighted);
    co_return (co_await kernels::propagated_labels(at, seed, w)).labels;
  }));
}

// For the pairs of ends at the same index, ignoring directions.
array_out<double> similarities(held_graph& g, array_in<std::uint32_t> const& a, array_in<std::uint32_t> const& b,
                               bool overlap) {
  std::vector<vertex> const first = vertices_of(g, a), second = vertices_of(g, b);
  if (first.size() != second.size()) throw nb::value_error("ends of pairs differ in number");
  auto const measure = overlap ? kernels::similarity_measure::overlap : kernels::similarity_measure::jaccard;
  return array_of(at_places([&]() -> tess::task<std::vector<double>> {
    std::vector<kernels::vertex_pair> pairs(first.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {first[i], second[i]};
    co_return co_await kernels::similarities(co_await g.adopted_undirected(), pairs, measure);
  }));
}

// [walks][length + 1], one after the other.
array_out<std::uint32_t> random_walks(held_graph& g, array_in<std::uint32_t> const& starts, std::uint64_t length,
                                      std::uint64_t seed, double p, double q, bool weighted) {
  std::vector<vertex> const from = vertices_of(g, starts);
  return array_of(at_places([&]() -> tess::task<std::vector<vertex>> {
    auto const at = co_await g.adopted();
    std::optional<graph::edge_weights> w;
    if (weighted && g.rows().weighted()) w = co_await g.weights();
    co_return co_await kernels::random_walks(at, w, from, {length, seed, p, q});
  }));
}

}  // namespace

void declare_structure(nb::module_& m) {
  m.def("components", &components, nb::arg("graph"));
  m.def("strong_components", &strong_components, nb::arg("graph"));
  m.def("core_numbers", &core_numbers, nb::arg("graph"));
  m.def("independent_set", &independent_set, nb::arg("graph"), nb::arg("seed"));
  m.def("spanning_forest", &spanning_forest, nb::arg("graph"));
  m.def("two_colours", &two_colours, nb::arg("graph"));
  m.def("topological_order", &topological_order, nb::arg("graph"));
  m.def("assortativity", &assortativity, nb::arg("graph"), nb::arg("source_in"), nb::arg("target_in"));
  m.def("similarities", &similarities, nb::arg("graph"), nb::arg("a"), nb::arg("b"), nb::arg("overlap"));
  m.def("random_walks", &random_walks, nb::arg("graph"), nb::arg("starts"), nb::arg("length"), nb::arg("seed"),
        nb::arg("p"), nb::arg("q"), nb::arg("weighted"));
  m.def("louvain", &louvain, nb::arg("graph"), nb::arg("resolution"), nb::arg("seed"), nb::arg("weighted"));
  m.def("label_propagation", &label_propagation, nb::arg("graph"), nb::arg("seed"), nb::arg("weighted"));
}

}  // namespace engine
