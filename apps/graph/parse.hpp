// parse: turns the lines of a chunk into edges; every invalid byte becomes an error with its line.
//
//   Chunks may come in any order and be divided among parsers; each parser counts what it read, and the sum of
//   entries_count() and the maximum of vertices_count() over all of them describe the file (edge_reader.hpp checks).
//   Lines are not counted while parsing; an error counts them, from the start of the chunk or, in a range, of the file.
//
// Units     entries: data lines. An entry of a symmetric file is one edge; mirroring is up to the reader of the format.
// Threads   A parser belongs to one thread.
// Cost      No allocation but for growing `edges`: at most one edge for 4 bytes of text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/edge.hpp"
#include "graph/format.hpp"
#include "graph/text_source.hpp"

namespace graph {

// The weights that an algorithm can use; weights that are not finite are always errors.
enum class weight_rule : std::uint8_t { any, nonnegative };

class chunk_parser {
 public:
  chunk_parser(std::string file, file_format const& format, weight_rule rule = weight_rule::any);

  // Appends the chunk's edges. The chunk is of lines after the header.
  void parse(text_chunk const& chunk, std::vector<edge>& edges);

  [[nodiscard]] std::uint64_t entries_count() const noexcept { return entries_count_; }

  // What the header says; without one, the largest vertex so far and one.
  [[nodiscard]] std::uint64_t vertices_count() const noexcept;

 private:
  std::string file_;
  file_format format_;
  weight_rule rule_;
  std::uint64_t entries_count_ = 0;
  std::uint64_t vertices_seen_ = 0;
};

}  // namespace graph
