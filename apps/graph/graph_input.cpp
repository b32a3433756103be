// graph_input: opens a file or a generator's specification.
#include "graph/graph_input.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "graph/error.hpp"

namespace graph {

namespace {

graph_input open_generator(std::string const& spec) {
  generator const source = parse_generator(spec);
  return {.spec = spec,
          .source = source,
          .vertices_count = source.vertices_count,
          .edges_count = source.edges_count,
          .directed = false,
          .weighted = false,
          .names_path = std::nullopt};
}

std::uint64_t lines_of(std::string const& path) {
  text_source text(path);
  line_reader lines(text);
  while (lines.next()) {
  }
  return lines.lines_count();
}

graph_input open_file(std::string const& path) {
  std::error_code ignored;  // what else may be wrong with the path, reading will say
  if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found) {
    throw input_error(path, 0, "no such file", "a graph's file, or kron:SCALE, uniform:SCALE or grid:WIDTHxHEIGHT");
  }
  file_status const status = status_of(path);
  text_source text(path, status.version);
  file_format format = recognise(text);
  std::optional<std::string> names = find_names_file(path);
  // An edge list does not say how many vertices there are; its names do, also of vertices without edges.
  if (names && !format.vertices_count) format.vertices_count = lines_of(*names);
  return {.spec = path,
          .source = file_input{path, status.version, status.compressed, format},
          .vertices_count = format.vertices_count,
          .edges_count = format.entries_count,
          .directed = !format.symmetric,
          .weighted = format.weights != weight_kind::none,
          .names_path = std::move(names)};
}

std::string_view kind_of(file_input const& file) {
  switch (file.format.kind) {
    case format_kind::matrix_market:
      return "matrix_market";
    case format_kind::edge_list:
      return "edge_list";
    case format_kind::dimacs:
      return "dimacs";
  }
  return {};
}

std::string_view kind_of(generator const& from) {
  switch (from.kind) {
    case generator_kind::kron:
      return "kron";
    case generator_kind::uniform:
      return "uniform";
    case generator_kind::grid:
      return "grid";
  }
  return {};
}

}  // namespace

std::string_view graph_input::kind() const {
  return std::visit([](auto const& from) { return kind_of(from); }, source);
}

file_version graph_input::version() const {
  auto const* const file = std::get_if<file_input>(&source);
  return file != nullptr ? file->version : file_version{};
}

graph_input open_graph(std::string const& spec) {
  return names_generator(spec) ? open_generator(spec) : open_file(spec);
}

vertex_names load_names(graph_input const& graph, std::uint64_t vertices_count) {
  if (!graph.names_path) {
    throw input_error(graph.spec, 0, "no names file", fmt::format("{}.names, with one name on each line", graph.spec));
  }
  text_source text(*graph.names_path);
  return {text, vertices_count};
}

}  // namespace graph
