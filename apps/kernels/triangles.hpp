// triangles: counts the triples of vertices that are joined by three edges.
//
//   Edges are directed to the end with the higher degree, so that no vertex has many out-neighbours, and vertices of a
//   place are renamed by descending degree, so that the busy ones are adjacent. Each edge then counts the common
//   out-neighbours of its ends: those of one end are marked in a bitmap, in which those of the other are looked up.
//
//   words: rows are read where they are needed. The end with more out-neighbours is marked, by its owner, which gets
//   the
//   rows of the other places in blocks, a place's at a time, the next while one is used. messages: rows are
//   sent, in packets, to the owners of their out-neighbours, which count.
//
//   Where no vertex has many neighbours an order costs more than it saves: then words merge the rows as they are.
//
// Threads   made, run and released by one task, for all; one run() at a time.
// Cost      at every place 8 bytes for each vertex of the graph, 4 for each own entry at most, and for `words` the
//           directed rows of two other places; a bitmap of the vertices for each worker. Transfers: for words the
//           directed rows of all places to every place, 4 bytes an edge; for messages each directed row to at most as
//           many places as it has out-neighbours. Work: for words the sum over all edges of the shorter row, for
//           messages that of the higher end's.
// Source    degree order and bitmaps: Schank, Wagner, "Finding, Counting and Listing All Triangles in Large Graphs"
//           (WEA 2005), `forward`; Latapy, "Main-memory triangle computations" (TCS 2008), `new-vertex-listing`. As in
//           GAP (Beamer et al. 2015) and in the bale suite.
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "kernels/form.hpp"
#include "kernels/replicated.hpp"

namespace kernels {

// A place's turned rows, for the others; [rows + 1] offsets.
struct turned_rows {
  tess::global_ptr<std::uint64_t> offsets;
  tess::global_ptr<graph::vertex> targets;
  std::uint64_t rows = 0;
  std::uint64_t entries = 0;
};

struct triangles_state;

class triangles {
 public:
  // Takes memory. A directed graph must have been loaded as symmetric.
  static tess::task<triangles> make(graph::distributed_graph g);
  static tess::task<void> release(triangles t);

  // Counting needs orient() first: not by words where no vertex has many neighbours, as in a grid or a map of roads.
  [[nodiscard]] bool needs_order(form how) const noexcept;
  // Both steps; the number of triangles.
  [[nodiscard]] tess::task<std::uint64_t> run(form how) const;

  // Turns the edges and renames the vertices.
  [[nodiscard]] tess::task<void> orient() const;
  // After orient(), if this form needs it; as often as wanted.
  [[nodiscard]] tess::task<std::uint64_t> count(form how) const;
  // The same by words: how many triangles each vertex is part of. 8 bytes more for each vertex of the graph.
  [[nodiscard]] tess::task<std::vector<std::uint64_t>> count_each() const;

 private:
  friend class triangles_orient;
  friend class triangles_count;

  graph::distributed_graph graph_;
  replicated<std::uint64_t> keys_;
  tess::global_array<turned_rows> turned_;
  tess::place_local<triangles_state> state_;
};

// By one thread, in the order of the vertices' numbers, from sorted rows.
[[nodiscard]] tess::task<std::uint64_t> triangles_alone(graph::distributed_graph g);

}  // namespace kernels
