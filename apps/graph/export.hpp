// export: writes a graph in the formats that others read.
//
//   .csv .tsv   a header source,target[,weight], and a row for each edge, with names
//   .el .wel    numbers from 0; names go to a file beside it, NAME.names
//   .mtx        Matrix Market, symmetric if the graph has no directions; names as for .el
//   .npz        scipy's save_npz: a matrix in format csr, with an array `names` more if there are some
//   .tgr        a saved graph (saved.hpp)
//
//   An edge without directions is one row of a list, and two entries of a matrix in .npz.
//
// Errors    std::runtime_error: the file cannot be written, or a name cannot stand in it; then nothing is left of it.
// Cost      texts are formatted by threads, some MiB at a time.
#pragma once

#include <string>
#include <string_view>

#include "graph/csr.hpp"

namespace graph {

// Whether a file of this name can be written: what is wrong with it, or nothing.
[[nodiscard]] std::string wrong_export_name(std::string_view path);

void export_graph(csr const& graph, std::string const& path, unsigned threads = 0);

// A field of a table: in quotes if it must be (RFC 4180); a text that cannot stand between tabs throws
// std::runtime_error.
void append_field(std::string& line, std::string_view text, char separator);

// Fixed-width UTF-32, as numpy has texts: the width in characters, and a text's characters padded to it.
[[nodiscard]] std::size_t characters_of(std::string_view utf8) noexcept;
void append_utf32(std::string& to, std::string_view utf8, std::size_t width);

}  // namespace graph
