// vertex_parquet: the table of --output as a .parquet file: each place writes its rows as a group of rows of its own.
//
//   Integers are of 64 bits, names of vertices integers or texts; the cell of a vertex that has no value is absent.
//
// Cost      each place has the bytes of its rows once more.
#pragma once

#include <string>

#include "command_line/vertex_parts.hpp"
#include "tess/tess.hpp"

namespace command_line {

// Throws tess::error.
[[nodiscard]] tess::task<void> write_parquet(tess::place_local<table_part> parts, std::string path);

}  // namespace command_line
