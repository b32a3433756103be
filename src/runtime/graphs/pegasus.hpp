// pegasus: the receiver walks the source graph and copies object by object, with a hash map of what it has seen.
//
//   Through a window it reads the source in place; without one it gets each object's header, then its words. On tiles
//   of a machine without coherence the sender writes each object back, and the receiver forgets the lines of each
//   before it reads them through its cache.
//
// Errors  tess::error for pointers outside of the source's place and for unknown types.
// Source  Pegasus (DATE 2017), as "NEMESYS" (MEMSYS 2019), section 4 describes it.
#pragma once

#include <cstdint>

#include "fabric/graph_units.hpp"
#include "runtime/graphs/map.hpp"
#include "tess/copier.hpp"
#include "tess/detail/region.hpp"

namespace tess::detail {

/// Source addresses are those of the place that owns the graph; here they are read at address + distance.
struct pull_source {
  std::uint64_t segment;
  std::uint64_t segment_bytes;
  std::uint64_t distance = 0;
  graph_units* units = nullptr;  ///< without coherence: what is read was written back, and is forgotten here before
};

/// A region with the copy; its first block is the root. `blocks`: how many there are.
[[nodiscard]] region* pull_directly(pull_source const& from, std::uint64_t root, type_record const& root_type,
                                    copy_map which, std::uint64_t& blocks);

}  // namespace tess::detail
