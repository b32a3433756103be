// distributed_graph: a graph as CSR rows; every place holds the rows of its block of vertices.
//
//   A value that travels in `at`; part() is the caller's share. Rows are sorted, without self-loops and repetitions,
//   and the same for every number of places, workers and readers. An undirected graph has each edge in two rows.
//
// Shapes    blocks of block() vertices, a multiple of 64; the last places may have fewer or none. rows: offsets
//           [count + 1] and targets [offsets[count]], both in the segment, so that other places can get them.
// Threads   made and released by one task, for all; part() by any task of the place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "graph/csr.hpp"
#include "graph/graph_input.hpp"
#include "tess/tess.hpp"

namespace graph {

using vertex = std::uint32_t;

// Neighbours of the vertices of one block, counted from its first.
struct rows {
  std::uint64_t const* offsets = nullptr;
  vertex const* targets = nullptr;

  [[nodiscard]] std::uint64_t degree(std::uint64_t i) const noexcept { return offsets[i + 1] - offsets[i]; }
  [[nodiscard]] std::span<vertex const> neighbours(std::uint64_t i) const noexcept {
    return {targets + offsets[i], targets + offsets[i + 1]};
  }
};

// The part of one place.
struct graph_part {
  vertex first = 0;
  vertex count = 0;
  std::uint64_t vertices = 0;  // of the whole graph
  std::uint64_t edges = 0;     // of out
  rows out;
  rows in;                // out again if the graph is undirected; no offsets if it was not asked for
  bool borrowed = false;  // the targets lie in a csr, not in the segment

  [[nodiscard]] bool owns(vertex v) const noexcept { return v - first < count; }
};

// The rows of a directed graph to build.
enum class row_kinds : std::uint8_t {
  out,
  out_and_in,
  symmetric  // each edge in both directions: the graph without its directions
};

// How places get the rows of a csr: copied to their segments, or, where all places are threads of one process, used
// where they are. Then the csr must live as long, and no other place can get them.
enum class adoption : std::uint8_t { copy, borrow };

class distributed_graph {
 public:
  // Reads every edge of the input twice, at all places. Throws input_error, with nothing left behind.
  static tess::task<distributed_graph> load(graph_input const& input, row_kinds kinds);
  // The rows of a graph in the memory of place 0's process, whose task this is. For directed graphs: out_and_in needs
  // transpose() first, symmetric without_directions().
  static tess::task<distributed_graph> adopt(csr const& whole, row_kinds kinds, adoption how = adoption::copy);
  static tess::task<void> release(distributed_graph g);

  [[nodiscard]] std::uint64_t vertices() const noexcept { return vertices_; }
  // Entries of all rows together.
  [[nodiscard]] std::uint64_t edges() const noexcept { return edges_; }
  [[nodiscard]] bool directed() const noexcept { return directed_; }
  [[nodiscard]] vertex degree_max() const noexcept { return degree_max_; }

  [[nodiscard]] std::uint64_t block() const noexcept { return block_; }
  [[nodiscard]] tess::place_id owner(vertex v) const noexcept {
    // reciprocal_ = floor((2^64 - 1) / block) + 1: exact for 32-bit vertices (Granlund and Montgomery 1994).
    return static_cast<tess::place_id>(static_cast<unsigned __int128>(v) * reciprocal_ >> 64);
  }
  [[nodiscard]] std::uint64_t begin_at(tess::place_id p) const noexcept { return std::min(p * block_, vertices_); }
  [[nodiscard]] std::uint64_t end_at(tess::place_id p) const noexcept {
    return std::min((p + std::uint64_t{1}) * block_, vertices_);
  }

  // This place's rows.
  [[nodiscard]] graph_part const& part() const { return *part_; }
  // Another place's part, for block transfers: its pointers are not valid here.
  [[nodiscard]] tess::global_ptr<graph_part> part_of(tess::place_id p) const { return part_.of(p); }

 private:
  friend class graph_loader;

  void lay_out(std::uint64_t vertices);

  tess::place_local<graph_part> part_;
  std::uint64_t vertices_ = 0;
  std::uint64_t edges_ = 0;
  std::uint64_t block_ = 64;
  std::uint64_t reciprocal_ = 0;
  vertex degree_max_ = 0;
  bool directed_ = false;
};

}  // namespace graph
