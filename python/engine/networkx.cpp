// networkx: rows from NetworkX's dicts, and dicts from arrays, as fast as Python's objects allow.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "dict_rows.hpp"
#include "module.hpp"

namespace engine {

namespace {

using rows_of_dicts = std::tuple<array_out<std::uint64_t>, array_out<std::uint32_t>, nb::object, nb::object, nb::object,
                                 bool, std::uint64_t, bool>;

// offsets, targets, targets as they were added, sums and smallest weights or None, whether weights are integers,
// self-loops, whether vertex i is called i.
rows_of_dicts dict_rows_of(nb::dict const& vertices, nb::dict const& adjacency, nb::handle weight, double missing,
                           bool directed, bool several, bool lent_hashes) {
  dict_rows made = read_dict_rows(vertices, adjacency,
                                  {.directed = directed,
                                   .several = several,
                                   .weight = weight.is_none() ? nb::handle() : weight,
                                   .missing = missing,
                                   .lent_hashes = lent_hashes});
  auto const given = []<class T>(std::vector<T>&& values) {
    return values.empty() ? nb::none() : nb::cast(array_of(std::move(values)));
  };
  return {array_of(std::move(made.offsets)),
          array_of(std::move(made.targets)),
          given(std::move(made.as_added)),
          given(std::move(made.sums)),
          given(std::move(made.smallest)),
          made.kind != weights_kind::reals,
          made.self_loops,
          made.numbers};
}

// The strongly connected component of each vertex, numbered as a depth-first search leaves them that starts at vertices
// in their order and takes targets in the order given. Tarjan, "Depth-first search and linear graph algorithms" (1972).
std::vector<std::uint32_t> components_as_left(std::span<std::uint64_t const> offsets,
                                              std::span<std::uint32_t const> targets) {
  constexpr std::uint32_t none = 0xFFFFFFFF;
  std::size_t const n = offsets.size() - 1;
  std::vector<std::uint32_t> component(n, none), entered(n, none), least(n), open, path;
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  std::uint32_t time = 0, count = 0;
  for (std::uint32_t start = 0; start < n; ++start) {
    if (entered[start] != none) continue;
    path.push_back(start);
    while (!path.empty()) {
      std::uint32_t const v = path.back();
      if (entered[v] == none) {
        entered[v] = least[v] = time++;
        open.push_back(v);
      }
      bool deeper = false;
      while (next[v] < offsets[v + std::size_t{1}] && !deeper) {
        std::uint32_t const w = targets[next[v]];
        if (entered[w] == none) {
          path.push_back(w);
          deeper = true;
        } else {
          if (component[w] == none) least[v] = std::min(least[v], least[w]);
          ++next[v];
        }
      }
      if (deeper) continue;
      path.pop_back();
      if (least[v] != entered[v]) continue;
      for (std::uint32_t w = none; w != v;) {
        w = open.back();
        open.pop_back();
        component[w] = count;
      }
      ++count;
    }
  }
  return component;
}

array_out<std::uint32_t> strong_components_as_left(array_in<std::uint64_t> const& offsets,
                                                   array_in<std::uint32_t> const& targets) {
  auto const begins = span_of(offsets);
  auto const all = span_of(targets);
  bool const right = !begins.empty() && begins.back() == all.size() && std::ranges::is_sorted(begins) &&
                     std::ranges::all_of(all, [&](std::uint32_t v) { return v + std::size_t{1} < begins.size(); });
  if (!right) throw nb::value_error("the rows are not those of a graph");
  std::vector<std::uint32_t> found;
  {
    nb::gil_scoped_release const free;
    found = components_as_left(begins, all);
  }
  return array_of(std::move(found));
}

}  // namespace

void declare_networkx(nb::module_& m) {
  nb::exception<adjacency_error>(m, "AdjacencyError", PyExc_ValueError);
  m.def("dict_rows", &dict_rows_of, nb::arg("vertices"), nb::arg("adjacency"), nb::arg("weight").none(),
        nb::arg("missing"), nb::arg("directed"), nb::arg("several"), nb::arg("lent_hashes") = true);
  m.def("strong_components_as_left", &strong_components_as_left, nb::arg("offsets"), nb::arg("targets"));
}

}  // namespace engine
