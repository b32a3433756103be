// metis: reads graphs of the METIS format, where line i has the neighbours of vertex i.
//
//   `VERTICES EDGES [FMT [NCON]]`, then a line for each vertex: its size if FMT has hundreds, NCON weights if it has
//   tens, and its neighbours from 1, each with a weight if FMT has ones. Sizes and weights of vertices are skipped. `%`
//   begins a comment. Each edge is in two lines, and counts once.
//
// Errors    input_error with the line: also if a neighbour does not have the edge, too, or has another weight.
// Source    METIS 5.1.0 manual, section 4.1.1.
#pragma once

#include <memory>
#include <string>

#include "graph/byte_stream.hpp"
#include "graph/import_edges.hpp"

namespace graph {

// Each edge in both directions.
[[nodiscard]] edge_columns read_metis(std::string const& path);
[[nodiscard]] edge_columns read_metis(std::unique_ptr<byte_stream> bytes, std::string const& name);

}  // namespace graph
