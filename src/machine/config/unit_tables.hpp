// unit_tables: the units of one's own that a machine file places: [[unit]] with a file, the tiles, and the parameters
// that the unit declares.
//
// Errors    config_error, with line and column, also for what is wrong with the unit's file.
// Threads   one.
#pragma once

#include "machine/config/description.hpp"

namespace tess::machine {

/// Reads all of them; the grid and the memories must be known.
void read_units(toml_table from, machine_description& made);

}  // namespace tess::machine
