// graph_facts: one thread, arrays of 4 and 8 bytes a vertex.
#include "graph_command/graph_facts.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace graph_command {

namespace {

std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t v) {
  while (parents[v] != v) v = parents[v] = parents[parents[v]];
  return v;
}

struct sweep {
  std::uint32_t farthest = 0;
  std::uint64_t distance = 0;
};

// A breadth-first search, level by level; the farthest vertex of the least degree.
sweep search_from(graph::csr_rows const& rows, std::uint32_t source) {
  std::vector<bool> seen(rows.vertices());
  std::vector<std::uint32_t> level{source}, next;
  seen[source] = true;
  sweep found{source, 0};
  for (std::uint64_t distance = 0; !level.empty(); ++distance) {
    found.distance = distance;
    found.farthest = *std::ranges::min_element(level, {}, [&](std::uint32_t v) { return rows.neighbours(v).size(); });
    next.clear();
    for (std::uint32_t const v : level)
      for (std::uint32_t const w : rows.neighbours(v)) {
        if (seen[w]) continue;
        seen[w] = true;
        next.push_back(w);
      }
    std::swap(level, next);
  }
  return found;
}

}  // namespace

degree_facts degrees_of(graph::csr_rows const& rows) {
  degree_facts facts;
  std::uint64_t const vertices = rows.vertices();
  if (vertices == 0) return facts;
  std::vector<std::uint64_t> degrees(vertices);
  for (std::uint64_t v = 0; v < vertices; ++v) {
    degrees[v] = rows.offsets[v + 1] - rows.offsets[v];
    std::size_t const kind = static_cast<std::size_t>(std::bit_width(degrees[v]));
    if (facts.classes.size() <= kind) facts.classes.resize(kind + 1);
    ++facts.classes[kind];
  }
  std::ranges::sort(degrees);
  auto const at = [&](std::uint64_t percent) { return degrees[(vertices - 1) * percent / 100]; };
  facts.least = degrees.front();
  facts.mean = static_cast<double>(rows.entries()) / static_cast<double>(vertices);
  facts.median = at(50);
  facts.of_90_percent = at(90);
  facts.of_99_percent = at(99);
  facts.most = degrees.back();
  return facts;
}

component_facts components_of(graph::csr_rows const& rows) {
  std::uint64_t const vertices = rows.vertices();
  std::vector<std::uint32_t> parents(vertices);
  std::iota(parents.begin(), parents.end(), std::uint32_t{0});
  for (std::uint32_t v = 0; v < vertices; ++v)
    for (std::uint32_t const w : rows.neighbours(v)) {
      std::uint32_t const a = root_of(parents, v), b = root_of(parents, w);
      parents[std::max(a, b)] = std::min(a, b);
    }
  std::vector<std::uint32_t> sizes(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) ++sizes[root_of(parents, v)];
  component_facts facts;
  for (std::uint32_t const size : sizes) {
    facts.count += size != 0 ? 1U : 0U;
    facts.isolated += size == 1 ? 1U : 0U;
    facts.largest = std::max<std::uint64_t>(facts.largest, size);
  }
  return facts;
}

diameter_facts diameter_of(graph::csr_rows const& rows) {
  diameter_facts best;
  if (rows.vertices() == 0) return best;
  std::uint32_t source = 0;
  for (std::uint32_t v = 0; v < rows.vertices(); ++v)
    if (rows.neighbours(v).size() > rows.neighbours(source).size()) source = v;
  for (int i = 0; i < 3; ++i) {
    sweep const found = search_from(rows, source);
    if (found.distance > best.at_least) best = {found.distance, source, found.farthest};
    source = found.farthest;
  }
  return best;
}

}  // namespace graph_command
