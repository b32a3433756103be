// format: which of three text formats a file has, and the contents of its header.
//
//   matrix_market   `%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric`, then `N N ENTRIES`, then
//                   `row column [weight]` from 1: the edge row-1 -> column-1. Known by its first line. Also
//                   `unsigned-integer`, which is scipy's.
//   edge_list       `u v` or `u v weight` from 0, separated by blanks, tabs or a comma; `#` and `%` begin comments.
//                   Known by its name: .el .wel .txt .csv .tsv. The first edge says how many columns there are.
//   dimacs          `p sp N ARCS`, then `a u v weight` from 1; `c` begins comments. Known by its name: .gr.
//
//   A name may end in .gz on top. Blank lines and "\r\n" are allowed in all three.
//
// Errors    Every error in the header is an input_error with its line. Counts are bounded (edge.hpp), and
//           nothing is allocated for them: data must arrive first.
// Source    "The Matrix Market Exchange Formats" (NISTIR 5935); the 9th DIMACS challenge's file formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/text_source.hpp"

namespace graph {

enum class format_kind : std::uint8_t { matrix_market, edge_list, dimacs };
enum class weight_kind : std::uint8_t { none, integer, real };

struct file_format {
  format_kind kind = format_kind::edge_list;
  weight_kind weights = weight_kind::none;
  bool symmetric = false;                                      // each entry off the diagonal stands for both directions
  std::optional<std::uint64_t> vertices_count = std::nullopt;  // absent in edge lists
  std::optional<std::uint64_t> entries_count = std::nullopt;   // data lines; absent in edge lists
  std::uint64_t size_line = 0;                                 // the line that states the two, or 0
  std::uint64_t data_offset = 0;  // where the first line after the header begins, after gunzipping
  std::uint64_t data_line = 1;    // its number
};

// The text with its ASCII letters in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

// The end of a file's name from its last dot on, in lower case, without .gz: ".mtx" of "a/X.MTX.gz".
[[nodiscard]] std::string extension_of(std::string_view name);

// `text` must be at its start; its name decides where the content does not.
[[nodiscard]] file_format recognise(text_source& text);

// Whether a line after the header should hold an edge rather than a comment or nothing.
[[nodiscard]] bool is_data_line(format_kind kind, std::string_view line);

}  // namespace graph
