// csr: a whole graph in the memory of one process, as compressed sparse rows with weights and names.
//
//   What importers make, saved files are mapped as, and places adopt. A value: copies share the arrays, which nobody
//   changes. Rows are sorted by target, and have no target twice.
//
// Shapes    offsets [vertices + 1], from 0; targets and weights [entries]. An undirected graph has each edge in two
//           rows, a self-loop in one.
// Cost      made from edges: 8 bytes a vertex, and for each entry 4 (12 with weights); while it is made, 8 more a
//           vertex and 4 (8 with weights) more an entry, beside the edges.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "graph/dictionary.hpp"
#include "graph/edge.hpp"

namespace graph {

struct csr_rows {
  std::span<std::uint64_t const> offsets;
  std::span<std::uint32_t const> targets;
  std::span<double const> weights;  // empty: each edge weighs 1

  [[nodiscard]] std::uint64_t vertices() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] std::uint64_t entries() const noexcept { return targets.size(); }
  [[nodiscard]] std::span<std::uint32_t const> neighbours(std::uint32_t v) const noexcept {
    return targets.subspan(offsets[v], offsets[v + std::uint64_t{1}] - offsets[v]);
  }
};

struct csr {
  bool directed = false;
  csr_rows out;
  csr_rows in;  // of a directed graph, once transpose() has made them; no offsets otherwise
  std::uint64_t self_loops = 0;
  std::shared_ptr<dictionary const> names;            // null: vertices are called by their numbers
  std::shared_ptr<void const> out_memory, in_memory;  // where the rows lie

  [[nodiscard]] std::uint64_t vertices() const noexcept { return out.vertices(); }
  // A self-loop counts once.
  [[nodiscard]] std::uint64_t edges() const noexcept {
    return directed ? out.entries() : (out.entries() + self_loops) / 2;
  }
  [[nodiscard]] bool weighted() const noexcept { return !out.weights.empty(); }
};

// What becomes of edges with the same ends (in the same direction, if the graph is directed).
enum class duplicates_rule : std::uint8_t { smallest, first, last, sum, refuse };
enum class self_loops_rule : std::uint8_t { drop, keep, refuse };

struct csr_rules {
  bool directed = true;
  duplicates_rule duplicates = duplicates_rule::smallest;
  self_loops_rule self_loops = self_loops_rule::drop;
  unsigned threads = 0;  // 0: one for each processor
};

// Edge i leads from sources[i] to targets[i], with weights[i], or 1 if there are no weights. Every end is below
// `vertices`. Throws input_error, whose line is the edge's number from 1, for what a rule refuses.
[[nodiscard]] csr make_csr(std::uint64_t vertices, std::span<std::uint32_t const> sources,
                           std::span<std::uint32_t const> targets, std::span<double const> weights,
                           csr_rules const& rules);

// Adds the rows of in-edges to a directed graph that lacks them.
void transpose(csr& graph, unsigned threads = 0);

// The graph without its directions: two edges in opposite directions are one, of the smaller weight.
[[nodiscard]] csr without_directions(csr const& graph, unsigned threads = 0);

}  // namespace graph
