// vertex_table: the file of --output: a row for each vertex of a graph, in their order, written by all places.
//
//   Each place has the rows of its own vertices. A format turns them into bytes, and tess::file writes these: a new
//   format of text needs an ending and a function; vertex_arrays.hpp and vertex_parquet.hpp have the others. A vertex
//   has its name, if the graph has names; no value is an empty cell.
//
// Cost      about 20 bytes for each row at its place, and the names of its vertices.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "command_line/command_line.hpp"
#include "kernels/gather_block_array.hpp"

namespace command_line {

// No value, in a column of integers; in one of doubles it is infinity.
inline constexpr std::uint32_t no_number = UINT32_MAX;

// A column: its name, and a value for each vertex, in blocks like those of the graph.
struct column {
  std::string name;
  std::variant<tess::global_array<std::uint32_t>, tess::global_array<double>> values;
  bool are_vertices = false;  // integers that are vertices, which have names
};

// --output FILE; a name that no format has, or in a folder where nothing can be written, is wrong use.
void declare_output(parser& app, std::string& into);

// Writes the columns after one of the vertices. Prints an error and is false if it cannot.
[[nodiscard]] tess::task<bool> write_table(std::string path, loaded_graph const& loaded, std::vector<column> columns);

// The table of one column, whose values are at the caller's place, by vertex.
template <class T>
tess::task<bool> write_table(std::string path, loaded_graph const& loaded, std::string name,
                             std::vector<T> const& values, bool are_vertices = false) {
  auto const spread = co_await kernels::scatter_block_array(loaded.graph, values);
  std::vector<column> columns;
  columns.push_back({std::move(name), spread, are_vertices});
  bool const written = co_await write_table(std::move(path), loaded, std::move(columns));
  co_await tess::global_array<T>::release(spread);
  co_return written;
}

// While standard output is for the table of `--output -`, what the program prints goes to standard error.
class reports {
 public:
  explicit reports(std::string const& output);
  ~reports() { end(); }
  reports(reports const&) = delete;
  reports& operator=(reports const&) = delete;

  // Gives standard output back, for the table.
  void end();

 private:
  int kept_ = -1;
};

}  // namespace command_line
