// vertex_arrays: the table of --output as a .npz file of numpy: an array for each column, which all places write.
//
//   Integers and vertices are <i8, with -1 where a table has an empty cell; doubles are <f8, and infinite there. Names
//   are <U, fixed-width UTF-32, with the width of the longest; names that are integers are <i8, and -2^63 if there is
//   none. numpy.load opens all of them without pickle.
//
// Cost      each place has the bytes of its rows once more; a zip file's checksums want them before they are written.
#pragma once

#include <string>

#include "command_line/vertex_parts.hpp"
#include "tess/tess.hpp"

namespace command_line {

// Throws tess::error.
[[nodiscard]] tess::task<void> write_arrays(tess::place_local<table_part> parts, std::string path);

}  // namespace command_line
