// component_sizes: the sizes of components, from the label of each vertex; what programs print and report of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "command_line/command_line.hpp"

namespace command_line {

inline constexpr std::size_t sizes_shown = 8;

struct component {
  graph::vertex label;
  std::uint64_t size;
};

// Largest first; among equal sizes, the smaller label.
inline std::vector<component> sizes_of(std::vector<graph::vertex> const& labels) {
  std::vector<std::uint64_t> counts(labels.size());
  for (graph::vertex const label : labels) ++counts[label];
  std::vector<component> found;
  for (graph::vertex v = 0; v < labels.size(); ++v)
    if (counts[v] != 0) found.push_back({v, counts[v]});
  std::ranges::sort(found, [](component const& a, component const& b) {
    return a.size != b.size ? a.size > b.size : a.label < b.label;
  });
  return found;
}

inline void print_components(loaded_graph const& loaded, std::vector<component> const& found) {
  fmt::print("{} components\n  vertices  with\n", found.size());
  for (component const& c : std::span(found).first(std::min(found.size(), sizes_shown)))
    fmt::print("{:10}  {}\n", c.size, loaded.label(c.label));
  if (found.size() > sizes_shown) fmt::print("       ...\n");
}

inline void report_components(std::vector<component> const& found) {
  std::vector<std::uint64_t> sizes;
  for (component const& c : std::span(found).first(std::min(found.size(), sizes_shown))) sizes.push_back(c.size);
  tess::report_result("components", std::to_string(found.size()));
  tess::report_result("largest", json(sizes));
}

}  // namespace command_line
