// table: edges from a text with a header, one row an edge, by threads that share the file's bytes.
//
//   .csv    RFC 4180: fields are separated by commas; a field in quotes may have commas, line ends, and quotes as "".
//   .tsv    fields are separated by tabs, and quotes are characters as others.
//
//   The columns of ends are those named in `columns`, else source|from|src|u and target|to|dst|v (in any case), else
//   the first two; weights are in the named column, else in weight|w, else there are none. Others are skipped. Names
//   are integers if all ends are whole numbers as one writes them ("7", "-7", not "07"); if one is not, all are texts,
//   byte by byte. Blank lines are skipped; a file may begin with a byte order mark, and be compressed by gzip.
//
// Errors    input_error with the line: a row of more or fewer fields than the header, an empty end, an end that is not
//           UTF-8, a weight that is no finite number, a quote inside a field or one that is never closed; a file that
//           changes meanwhile.
// Cost      each byte is read twice (once to find where rows begin in quotes); memory: the result, 256 KiB a thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/byte_stream.hpp"
#include "graph/dictionary.hpp"

namespace graph {

// Names of columns; empty ones are found as said above.
struct table_columns {
  std::string source;
  std::string target;
  std::string weight;

  [[nodiscard]] bool any() const noexcept { return !source.empty() || !target.empty() || !weight.empty(); }
};

struct edge_table {
  encoded_ends ends;
  large_vector<double> weights;  // empty if there is no such column
};

// Where the text comes from: opened several times, at any offset if the size is known.
struct table_text {
  std::string name;  // for messages; .tsv or .tsv.gz says that tabs separate
  std::function<std::unique_ptr<byte_stream>(std::uint64_t offset)> open;
  std::optional<std::uint64_t> size_bytes;  // unknown if it is compressed: then one thread reads it
};

[[nodiscard]] edge_table read_table(std::string const& path, table_columns const& columns, unsigned threads = 0);
// A part of the text for each thread has at least `part_bytes_min`.
[[nodiscard]] edge_table read_table(table_text const& text, table_columns const& columns, unsigned threads,
                                    std::uint64_t part_bytes_min);

// Whether a file named .csv or .tsv (also with .gz) has a header: its first line, but for comments as in edge lists,
// is not of numbers alone.
[[nodiscard]] bool has_table_header(std::string const& path);

}  // namespace graph
