// loading: the state of a place while a graph is read, and the passes over its share of the input.
//
//   Counting and filling handle edges alike: an entry of a row of this place is handled here, an entry of another
//   place's row is sent there in a packet.
//
//   Counting and filling each read the whole input, and must find the same in it. edge_reader refuses a file of another
//   version. In addition, no entry is stored beyond its array, and a digest of the entries that were counted, whatever
//   their order, must be that of the rows that were stored.
//
// Threads   tasks and message handlers of a place access the rows concurrently if it has several workers: accesses are
//           atomic then, and plain otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "distributed/distributed_graph.hpp"

namespace graph {

// One kind of rows under construction. offsets has one slot more than in graph_part: row i is counted at i + 2. After
// the prefix sum, slot i + 1 is the position of its next target, and finally the end of the row.
struct growing_rows {
  tess::global_ptr<std::uint64_t> offsets;
  tess::global_ptr<vertex> targets;
  std::uint64_t* slots = nullptr;
  vertex* entries = nullptr;
  std::uint64_t capacity = 0;  // of entries, as counted
};

struct loading {
  std::optional<graph_input> input;
  vertex first = 0;
  vertex count = 0;
  unsigned kinds = 1;     // 2: rows and those of the transpose
  bool mirrored = false;  // each edge goes to both rows
  growing_rows made[2];
  std::atomic<std::uint64_t> entries_count{0};
  std::atomic<std::uint64_t> vertices_count{0};
  vertex degree_max = 0;
  bool talks = false;  // progress goes to a terminal
  std::atomic<std::uint64_t> counted_digest{0};
  std::atomic<std::uint64_t> stored_digest{0};
  std::atomic<bool> overfull{false};  // there were more entries than had been counted

  void allocate_slots();
  void number_entries(unsigned kind);
  void allocate_entries(unsigned kind);
  // Sorts rows and removes repetitions, and adds the entries with repetitions to stored_digest. Throws tess::error if
  // the rows are not those that were counted. The graph has so many vertices.
  tess::task<void> tidy_rows(unsigned kind, std::uint64_t vertices);
  void release();
};

using loading_everywhere = tess::place_local<loading>;

// Opens an input at this place; its name is stored at another, which has opened the given version.
tess::task<graph_input> open_here(tess::global_ptr<char> spec, std::uint64_t bytes, file_version version);

// The three passes, at this place, by all its readers. Input errors are thrown as tess::error, which keeps its text
// when it crosses places.
tess::task<void> read_to_measure(loading_everywhere l);
tess::task<void> read_to_count(loading_everywhere l, distributed_graph g);
tess::task<void> read_to_fill(loading_everywhere l, distributed_graph g);

}  // namespace graph
