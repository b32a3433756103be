// npz: reads sparse matrices of scipy (save_npz) as graphs: entry (i, j) is the edge i -> j, its value the weight.
//
//   Formats csr, csc and coo; entries of true or false, integers or floats. If all entries are 1, the edges have no
//   weights. An entry that is stored is an edge, also if it is 0.
//
// Errors    input_error: another format, a matrix that is not square, an index beyond it, a value that is not finite,
//           damage (zip.hpp).
// Source    scipy.sparse.save_npz: members format, shape, data, and indices and indptr, or row and col.
#pragma once

#include <string>

#include "graph/import_edges.hpp"
#include "graph/zip.hpp"

namespace graph {

[[nodiscard]] edge_columns read_npz(std::string const& path);
[[nodiscard]] edge_columns read_npz(zip_reader const& zip, std::string const& name);

}  // namespace graph
