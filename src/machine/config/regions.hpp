// regions: the addresses of a machine's memories and devices: the tables [addresses] and [[partition]] of its file.
//
// Errors    config_error, naming file, line and column.
#pragma once

#include "machine/config/description.hpp"

namespace tess::machine {

/// TLMs, devices and scratchpads of all tiles; and the distance from a partition to its uncached view.
void read_addresses(toml_table from, machine_description& made, std::uint64_t& uncached_offset);
/// `used`: by memory tile, the bytes of its DDR that partitions occupy.
void read_partition(toml_table& from, machine_description& made, std::uint64_t uncached_offset,
                    std::vector<std::uint64_t>& used);
/// [partitions]: one of the same size for each tile, in its nearest memory.
void read_partitions(toml_table from, machine_description& made, std::uint64_t uncached_offset,
                     std::vector<std::uint64_t>& used);
/// One for each tile; with clusters, for those with DDR.
void check_partitions(toml_table const& root, machine_description const& made);

}  // namespace tess::machine
