// state: what workers and places keep for the graphs that they copy.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "fabric/graph_units.hpp"
#include "runtime/graphs/message_passing.hpp"
#include "runtime/graphs/walk.hpp"

namespace tess::detail {

struct worker_graphs {
  std::unique_ptr<copy_maps> maps;  ///< made when the first graph is copied
  std::vector<std::unique_ptr<graph_walk>> spare_walks;
};

/// Memory of objects that ended; see quarantine.hpp.
struct quarantined_chunk {
  std::byte* begin;
  std::uint64_t bytes;
};

struct place_graphs {
  std::unique_ptr<message_buffers> buffers;  ///< with accelerators for graphs
  graph_units* units = nullptr;              ///< the accelerators there

  std::mutex quarantine_mutex;
  std::deque<quarantined_chunk> quarantine;  ///< in checked builds
  std::uint64_t quarantine_bytes = 0;
};

}  // namespace tess::detail
