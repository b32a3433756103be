// state: what workers and places keep for the graphs that they copy.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "fabric/graph_units.hpp"
#include "runtime/graphs/message_passing.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/memory/nursery.hpp"
#include "tess/detail/objects/object_type.hpp"

namespace tess::detail {

/// A block that Pegasus copies.
struct pulled_block {
  std::uint64_t source;
  std::byte* copy = nullptr;
  type_record const* type = nullptr;
  std::uint64_t bytes = 0;  ///< whole words
};

struct worker_graphs {
  std::unique_ptr<copy_maps> maps;  ///< made when the first graph is copied
  std::vector<std::unique_ptr<graph_walk>> spare_walks;
  nursery small_chunks;                     ///< with a collected heap
  std::vector<pulled_block> pulled_blocks;  ///< of the copy that is being made
};

/// Memory of objects that ended; see quarantine.hpp.
struct quarantined_chunk {
  std::byte* begin;
  std::uint64_t bytes;
};

struct place_graphs {
  std::unique_ptr<message_buffers> buffers;  ///< with accelerators for graphs
  graph_units* units = nullptr;              ///< the accelerators there
  std::span<std::byte> of_system;            ///< the memory from which the system gives out chunks

  std::mutex quarantine_mutex;
  std::deque<quarantined_chunk> quarantine;  ///< in checked builds
  std::uint64_t quarantine_bytes = 0;
};

}  // namespace tess::detail
