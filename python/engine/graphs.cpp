// graphs: names to numbers, edges to graphs, and what Python sees of them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "graph/dictionary.hpp"
#include "graph/import.hpp"
#include "graph/saved.hpp"
#include "held_graph.hpp"
#include "module.hpp"
#include "truncation.hpp"

namespace engine {

namespace {

using names = std::shared_ptr<graph::dictionary const>;
using encoded = std::tuple<array_out<std::uint32_t>, array_out<std::uint32_t>, std::shared_ptr<graph::dictionary>>;

encoded share(graph::encoded_ends&& ends) {
  return {array_of(std::move(ends.sources)), array_of(std::move(ends.targets)),
          std::make_shared<graph::dictionary>(std::move(ends.names))};
}

encoded encode_integers(array_in<std::int64_t> const& sources, array_in<std::int64_t> const& targets,
                        std::string const& origin) {
  graph::encoded_ends ends;
  {
    nb::gil_scoped_release const free;
    ends = graph::encode(span_of(sources), span_of(targets), origin);
  }
  return share(std::move(ends));
}

graph::text_column texts(array_in<std::uint8_t> const& bytes, array_in<std::int64_t> const& offsets) {
  auto const all = span_of(offsets);
  bool const right = !all.empty() && all.front() >= 0 && std::ranges::is_sorted(all) &&
                     static_cast<std::uint64_t>(all.back()) <= bytes.size();
  if (!right) throw nb::value_error("offsets of texts are not ascending ends within the bytes");
  return {{reinterpret_cast<char const*>(bytes.data()), bytes.size()}, all};
}

encoded encode_texts(array_in<std::uint8_t> const& source_bytes, array_in<std::int64_t> const& source_offsets,
                     array_in<std::uint8_t> const& target_bytes, array_in<std::int64_t> const& target_offsets,
                     std::string const& origin) {
  graph::text_column const sources = texts(source_bytes, source_offsets), targets = texts(target_bytes, target_offsets);
  graph::encoded_ends ends;
  {
    nb::gil_scoped_release const free;
    ends = graph::encode(sources, targets, origin);
  }
  return share(std::move(ends));
}

std::shared_ptr<graph::dictionary> integer_names(array_in<std::int64_t> const& values, std::string const& origin) {
  auto const all = span_of(values);
  return std::make_shared<graph::dictionary>(std::vector<std::int64_t>(all.begin(), all.end()), origin);
}

std::shared_ptr<graph::dictionary> text_names(array_in<std::uint8_t> const& bytes,
                                              array_in<std::int64_t> const& offsets, std::string const& origin) {
  graph::text_column const column = texts(bytes, offsets);
  auto const first = static_cast<std::size_t>(column.offsets.front());
  auto const last = static_cast<std::size_t>(column.offsets.back());
  std::vector<std::int64_t> ends(column.offsets.begin(), column.offsets.end());
  for (std::int64_t& end : ends) end -= column.offsets.front();
  auto const text = column.bytes.subspan(first, last - first);
  return std::make_shared<graph::dictionary>(std::vector<char>(text.begin(), text.end()), std::move(ends), origin);
}

graph::duplicates_rule duplicates_named(std::string_view name) {
  if (name == "smallest") return graph::duplicates_rule::smallest;
  if (name == "first") return graph::duplicates_rule::first;
  if (name == "last") return graph::duplicates_rule::last;
  if (name == "sum") return graph::duplicates_rule::sum;
  if (name == "refuse") return graph::duplicates_rule::refuse;
  throw nb::value_error(
      ("duplicates=" + std::string(name) + ", expected smallest, first, last, sum or refuse").c_str());
}

graph::self_loops_rule self_loops_named(std::string_view name) {
  if (name == "drop") return graph::self_loops_rule::drop;
  if (name == "keep") return graph::self_loops_rule::keep;
  if (name == "refuse") return graph::self_loops_rule::refuse;
  throw nb::value_error(("self_loops=" + std::string(name) + ", expected drop, keep or refuse").c_str());
}

std::unique_ptr<held_graph> from_ends(std::uint64_t vertices, array_in<std::uint32_t> const& sources,
                                      array_in<std::uint32_t> const& targets,
                                      std::optional<array_in<double>> const& weights, names const& called,
                                      bool directed, std::string_view duplicates, std::string_view self_loops) {
  auto const from = span_of(sources), to = span_of(targets);
  if (from.size() != to.size() || (weights && weights->size() != from.size()))
    throw nb::value_error("sources, targets and weights differ in length, expected one of each for every edge");
  if (vertices > graph::vertices_count_max) throw nb::value_error("more than 2^32 - 1 vertices");
  graph::csr_rules const rules{directed, duplicates_named(duplicates), self_loops_named(self_loops),
                               from.size() < 1U << 16U ? 1U : 0U};
  graph::csr made;
  {
    nb::gil_scoped_release const free;
    std::uint32_t most = 0;
    for (std::uint32_t const v : from) most = std::max(most, v);
    for (std::uint32_t const v : to) most = std::max(most, v);
    if (!from.empty() && most >= vertices)
      throw std::invalid_argument("vertex " + std::to_string(most) + " of " + std::to_string(vertices) +
                                  ", expected numbers from 0");
    made = graph::make_csr(vertices, from, to, weights ? span_of(*weights) : std::span<double const>{}, rules);
  }
  made.names = called;
  return std::make_unique<held_graph>(std::move(made));
}

// Rows that Python has already, which must be sorted and without repeated targets: used where they lie.
std::unique_ptr<held_graph> from_rows(array_in<std::uint64_t> const& offsets, array_in<std::uint32_t> const& targets,
                                      std::optional<array_in<double>> const& weights, names const& called,
                                      bool directed) {
  auto const begins = span_of(offsets);
  auto const all = span_of(targets);
  std::uint64_t loops = 0;
  {
    nb::gil_scoped_release const free;
    bool right = !begins.empty() && begins.front() == 0 && begins.back() == all.size() &&
                 begins.size() - 1 <= graph::vertices_count_max && (!weights || weights->size() == all.size());
    for (std::size_t v = 0; right && v + 1 < begins.size(); ++v) {
      right = begins[v] <= begins[v + 1] && begins[v + 1] <= all.size();
      for (std::uint64_t e = begins[v]; right && e < begins[v + 1]; ++e) {
        right = all[e] + std::size_t{1} < begins.size() && (e == begins[v] || all[e - 1] < all[e]);
        loops += all[e] == v ? 1 : 0;
      }
    }
    if (!right) throw std::invalid_argument("the rows are not those of a graph, expected sorted targets in each");
  }
  struct owners {
    nb::object offsets, targets, weights;
  };
  auto* const kept = new owners{nb::cast(offsets), nb::cast(targets), weights ? nb::cast(*weights) : nb::none()};
  graph::csr made;
  made.directed = directed;
  made.self_loops = loops;
  made.out = {begins, all, weights ? span_of(*weights) : std::span<double const>{}};
  made.out_memory = std::shared_ptr<owners const>(kept, [](owners const* old) {
    nb::gil_scoped_acquire const locked;
    delete old;
  });
  made.names = called;
  return std::make_unique<held_graph>(std::move(made));
}

using text = std::optional<std::string>;

// A file of any format, or a generator's name; what is not given is as the input says.
std::unique_ptr<held_graph> read(std::string const& spec, text const& source, text const& target, text const& weight,
                                 std::optional<bool> directed, text const& duplicates, text const& self_loops,
                                 bool random_weights) {
  graph::import_options options;
  options.columns = {source.value_or(""), target.value_or(""), weight.value_or("")};
  options.directed = directed;
  if (duplicates) options.duplicates = duplicates_named(*duplicates);
  if (self_loops) options.self_loops = self_loops_named(*self_loops);
  options.random_weights = random_weights;
  if (spec.ends_with(".tgr")) explain_truncation();
  nb::gil_scoped_release const free;
  return std::make_unique<held_graph>(graph::read_csr(spec, options));
}

void save(held_graph& g, std::string const& path, bool with_in_edges) {
  nb::gil_scoped_release const free;
  graph::save(with_in_edges ? g.with_in() : g.rows(), path);
}

void declare_dictionary(nb::module_& m) {
  nb::class_<graph::dictionary>(m, "Dictionary", "The names of a graph's vertices: integers or texts, in their order.")
      .def("__len__", &graph::dictionary::size)
      .def_prop_ro("are_integers", &graph::dictionary::are_integers)
      .def("integers", [](nb::object self) { return view_of(nb::cast<graph::dictionary&>(self).integers(), self); })
      .def("bytes",
           [](nb::object self) {
             auto const text = nb::cast<graph::dictionary&>(self).text();
             return view_of(std::span(reinterpret_cast<std::uint8_t const*>(text.data()), text.size()), self);
           })
      .def("offsets", [](nb::object self) { return view_of(nb::cast<graph::dictionary&>(self).offsets(), self); })
      .def("label", &graph::dictionary::label)
      .def("find", [](graph::dictionary const& d, std::string_view name) { return d.find(name); })
      .def("find", [](graph::dictionary const& d, std::int64_t name) { return d.find(name); });
  m.def("integer_names", &integer_names, nb::arg("values"), nb::arg("origin"));
  m.def("text_names", &text_names, nb::arg("bytes"), nb::arg("offsets"), nb::arg("origin"));
  m.def("encode_integers", &encode_integers, nb::arg("sources"), nb::arg("targets"), nb::arg("origin"));
  m.def("encode_texts", &encode_texts, nb::arg("source_bytes"), nb::arg("source_offsets"), nb::arg("target_bytes"),
        nb::arg("target_offsets"), nb::arg("origin"));
}

std::span<double const> weights_of(held_graph const& g) {
  return g.rows().out.weights;
}

}  // namespace

void declare_graphs(nb::module_& m) {
  declare_dictionary(m);
  nb::class_<held_graph>(m, "Graph", "Rows of a graph in this process, and what places have made of them.")
      .def_prop_ro("vertices", [](held_graph const& g) { return g.rows().vertices(); })
      .def_prop_ro("edges", [](held_graph const& g) { return g.rows().edges(); })
      .def_prop_ro("directed", [](held_graph const& g) { return g.rows().directed; })
      .def_prop_ro("weighted", [](held_graph const& g) { return g.rows().weighted(); })
      .def_prop_ro("self_loops", [](held_graph const& g) { return g.rows().self_loops; })
      .def_prop_ro("names",
                   [](held_graph const& g) { return std::const_pointer_cast<graph::dictionary>(g.rows().names); })
      .def("offsets", [](nb::object self) { return view_of(nb::cast<held_graph&>(self).rows().out.offsets, self); })
      .def("targets", [](nb::object self) { return view_of(nb::cast<held_graph&>(self).rows().out.targets, self); })
      .def("weights", [](nb::object self) { return view_of(weights_of(nb::cast<held_graph&>(self)), self); });
  m.def("read", &read, nb::arg("spec"), nb::arg("source").none(), nb::arg("target").none(), nb::arg("weight").none(),
        nb::arg("directed").none(), nb::arg("duplicates").none(), nb::arg("self_loops").none(),
        nb::arg("random_weights"));
  m.def("save", &save, nb::arg("graph"), nb::arg("path"), nb::arg("with_in_edges"));
  m.def("graph_from_ends", &from_ends, nb::arg("vertices"), nb::arg("sources"), nb::arg("targets"),
        nb::arg("weights").none(), nb::arg("names").none(), nb::arg("directed"), nb::arg("duplicates"),
        nb::arg("self_loops"));
  m.def("graph_from_rows", &from_rows, nb::arg("offsets"), nb::arg("targets"), nb::arg("weights").none(),
        nb::arg("names").none(), nb::arg("directed"));
}

}  // namespace engine
