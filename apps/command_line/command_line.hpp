// command_line: common parts of the programs on graphs: options, exit codes, names of vertices, lines of a report.
//
//   Exit codes: 0 ok, 1 failed, 2 wrong use or wrong input.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line/import_words.hpp"
#include "command_line/parser.hpp"
#include "distributed/distributed_graph.hpp"
#include "distributed/edge_weights.hpp"
#include "kernels/atomics.hpp"
#include "kernels/form.hpp"

namespace command_line {

// The options of every program on a graph.
struct graph_options {
  std::string spec;
  graph::import_options import;
  bool verify = true;
};
void declare(parser& app, graph_options& into);

// --form words|messages.
void declare(parser& app, kernels::form& into);
// The same for programs that use messages unless single words are requested.
// --each-awaited is valid with words only.
void declare_words(parser& app, kernels::form& into, kernels::pace& how);

// Awaits the program's work; an input error is printed and becomes exit code 2.
[[nodiscard]] tess::task<int> with_input_errors(tess::task<int> work);

// A graph at all places; place 0 has the names of its vertices.
struct loaded_graph {
  graph::distributed_graph graph;
  std::shared_ptr<graph::dictionary const> names;
  std::optional<graph::edge_weights> weights;  // if they were asked for
  std::uint64_t edges = 0;                     // one without directions counts once

  // Its name, or its number if it has none.
  [[nodiscard]] std::string label(graph::vertex v) const;
  // By name or number.
  [[nodiscard]] std::optional<graph::vertex> lookup(std::string const& name) const;
  // The same; throws input_error.
  [[nodiscard]] graph::vertex find(std::string const& name) const;
};

// Loads the graph, and prints its description and the time taken. All places read inputs that are lists of edges;
// place 0 reads others, and those for which options say how. Throws input_error for a negative weight, if weights are
// asked for.
[[nodiscard]] tess::task<loaded_graph> load(graph_options const& options, graph::row_kinds kinds,
                                            bool with_weights = false);

// The named vertices, each once, by number; without names the busiest one.
[[nodiscard]] tess::task<std::vector<graph::vertex>> sources_named(loaded_graph const& loaded,
                                                                   std::vector<std::string> const& names);
// Their numbers, as `source` or, if there are several, `sources`; their names.
void report_sources(std::vector<graph::vertex> const& sources);
[[nodiscard]] std::string label_of(loaded_graph const& loaded, std::vector<graph::vertex> const& sources);

// The first vertex with the most out-edges.
[[nodiscard]] tess::task<graph::vertex> busiest_vertex(graph::distributed_graph g);

// A line with the events between two counts.
void print_operations(tess::operation_counts before, tess::operation_counts after);
// A line with the atomics that a kernel used; none if it counts none.
void print_atomics(kernels::atomic_counts taken);

[[nodiscard]] std::string json(std::span<std::uint64_t const> numbers);
[[nodiscard]] std::string json(std::string const& text);

// Seconds since construction.
class stopwatch {
 public:
  [[nodiscard]] double seconds() const noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace command_line
