// vertex_vector: a number for each vertex of a graph, from names of vertices and files on the command line; and pairs
// of vertices from a file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command_line/command_line.hpp"

namespace command_line {

// Each word is a vertex, which has the number 1, or a file: a line is a vertex, and its number after the last comma or
// tab if that is not 1. A vertex that is quoted, as in tables of --output, loses the quotes; their row of headings is
// passed over. Other vertices have 0. Throws input_error. Without words the result is empty.
[[nodiscard]] std::vector<double> vector_of(loaded_graph const& loaded, std::string const& option,
                                            std::vector<std::string> const& words);

// A line is two vertices with a comma or a tab between them, perhaps quoted, and what follows them is passed over; in a
// .tsv file tabs alone separate, and quotes are characters as others. So tables of --output can be read, whose row of
// headings is passed over. Throws input_error.
[[nodiscard]] std::vector<std::pair<graph::vertex, graph::vertex>> pairs_of(loaded_graph const& loaded,
                                                                            std::string const& path);

}  // namespace command_line
