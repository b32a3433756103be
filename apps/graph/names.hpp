// names: the names of a file's vertices, in a names file next to it.
//
//   Line i of the names file is the name of vertex i, counted from 0. For `x.mtx.gz` it is `x.mtx.gz.names`,
//   `x.names` or `x.names.gz`, the first that exists.
//
// Errors    input_error with the line: a name that is empty, holds control characters, or is repeated; or the number of
//           names is not the number of vertices.
// Cost      The text once, 8 bytes an offset and 4 bytes an index entry for each name. vertex() is a binary search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/text_source.hpp"

namespace graph {

class vertex_names {
 public:
  // Reads all names; there must be `vertices_count` of them.
  vertex_names(text_source& text, std::uint64_t vertices_count);

  [[nodiscard]] std::uint64_t size() const noexcept { return ends_.size() - 1; }
  [[nodiscard]] std::string_view name(std::uint32_t vertex) const;
  [[nodiscard]] std::optional<std::uint32_t> vertex(std::string_view name) const;

 private:
  void append(std::string const& file, text_line const& line, std::uint64_t vertices_count);
  void index(std::string const& file);

  std::string text_;
  std::vector<std::uint64_t> ends_{0};  // name i is text_[ends_[i], ends_[i + 1])
  std::vector<std::uint32_t> by_name_;  // vertices in the order of their names
};

// The names file next to a graph's file, if there is one.
[[nodiscard]] std::optional<std::string> find_names_file(std::string const& graph_path);

}  // namespace graph
