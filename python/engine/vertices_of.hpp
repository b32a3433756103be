// vertices_of: the vertices in an array of Python's. Raises IndexError if the graph does not have one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "held_graph.hpp"

namespace engine {

inline std::vector<graph::vertex> vertices_of(held_graph const& g, array_in<std::uint32_t> const& given) {
  auto const all = span_of(given);
  for (graph::vertex const v : all)
    if (v >= g.rows().vertices())
      throw nb::index_error(("vertex " + std::to_string(v) + " of " + std::to_string(g.rows().vertices())).c_str());
  return {all.begin(), all.end()};
}

}  // namespace engine
