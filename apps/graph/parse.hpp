// parse: the lines of a chunk become edges; every wrong byte becomes an error with its line.
//
//   Chunks may come in any order and be shared out among parsers; each parser tallies what it saw, and the sum of
//   entries_count() and the maximum of vertices_count() over all of them describe the file (edge_reader.hpp checks).
//   Nothing counts lines on the way: an error does, from the chunk's begin, or in a range from the file's.
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

// Which weights an algorithm can use; those that are not finite are always errors.
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
