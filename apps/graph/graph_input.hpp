// graph_input: the description of a graph before its edges are read, from a file's header or a generator's
// specification.
//
//   Opening reads a file's header only. The description is a value: copy it to every reader, at any place that sees the
//   same files, and pass it to edge_reader.
//
// Errors    input_error, naming the file or the specification.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "graph/byte_stream.hpp"
#include "graph/format.hpp"
#include "graph/generate.hpp"
#include "graph/names.hpp"

namespace graph {

struct file_input {
  std::string path;
  file_version version;     // every pass over the file refuses another one
  bool compressed = false;  // then only one reader can read it
  file_format format;
};

struct graph_input {
  std::string spec;
  std::variant<file_input, generator> source;
  std::optional<std::uint64_t> vertices_count = std::nullopt;  // unknown for an edge list until it is read
  // As stated, hence not to be trusted with memory. An edge of an undirected graph counts once.
  std::optional<std::uint64_t> edges_count = std::nullopt;
  bool directed = true;  // if not, each edge that is no self-loop stands for both directions
  bool weighted = false;
  std::optional<std::string> names_path = std::nullopt;

  // "matrix_market", "edge_list", "dimacs", "kron", "uniform" or "grid".
  [[nodiscard]] std::string_view kind() const;
  // The version of the file; none for a generator.
  [[nodiscard]] file_version version() const;
};

[[nodiscard]] graph_input open_graph(std::string const& spec);

// The names of the vertices; graph.names_path must be set. `vertices_count` as found by reading.
[[nodiscard]] vertex_names load_names(graph_input const& graph, std::uint64_t vertices_count);

}  // namespace graph
