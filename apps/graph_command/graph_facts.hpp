// graph_facts: what can be said about a graph in a few seconds: degrees, components, an estimate of the diameter.
//
// Cost      degrees: a pass over the rows; components: union and find; the diameter: three breadth-first searches.
// Source    "double sweep": C. Magnien, M. Latapy, M. Habib, "Fast Computation of Empirically Tight Bounds for the
//           Diameter of Massive Graphs" (JEA 2009); union by index, with path halving.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/csr.hpp"

namespace graph_command {

struct degree_facts {
  std::uint64_t least = 0;
  double mean = 0;
  std::uint64_t median = 0;
  std::uint64_t of_90_percent = 0;  // the least degree that so many vertices do not exceed
  std::uint64_t of_99_percent = 0;
  std::uint64_t most = 0;
  std::vector<std::uint64_t> classes;  // vertices of degree 0, of 1, of 2 to 3, of 4 to 7 …
};

struct component_facts {
  std::uint64_t count = 0;
  std::uint64_t largest = 0;
  std::uint64_t isolated = 0;  // vertices without neighbours
};

struct diameter_facts {
  std::uint64_t at_least = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

[[nodiscard]] degree_facts degrees_of(graph::csr_rows const& rows);
// Those of the graph without its directions.
[[nodiscard]] component_facts components_of(graph::csr_rows const& rows);
// A path of so many edges is shortest between its ends; `rows` are of a graph without directions.
[[nodiscard]] diameter_facts diameter_of(graph::csr_rows const& rows);

}  // namespace graph_command
