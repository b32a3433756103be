// sparse_matrix: the nonzero pattern of a square sparse matrix; every place holds a block of its rows.
//
//   Made in four steps, each a phase of all places: make; count the entries of each row into its slot; lay_out, which
//   takes memory for them and turns each slot into the position of the row's next entry; write the entries, taking
//   positions by fetch_add on the slot or through append; finish, which sorts the rows. A graph is a matrix, too.
//
// Shapes    rows in blocks of block(), a multiple of 64; slots [size()] in the same blocks.
// Units     rows and columns count from 0, up to 2^32 - 2.
// Threads   made, changed from step to step and released by one task, for all; part() by any task of the place.
// Cost      4 bytes for an entry, 16 for a row, 8 for each place at each place.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

using graph::vertex;  // a row or a column

struct entry {
  vertex row;
  vertex column;

  friend bool operator==(entry const&, entry const&) = default;
};

// The part of one place.
struct matrix_part {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  graph::rows rows;  // in the segment
  std::uint64_t* slots = nullptr;
  vertex* columns = nullptr;                                // where rows.targets can be written
  std::vector<tess::global_ptr<vertex>> columns_of;         // of every place
  std::vector<tess::global_ptr<std::uint64_t>> offsets_of;  // likewise
  bool owner = false;                                       // of the rows' memory

  // For messages: one or `n` more entries of an own row, and an entry where it belongs.
  void count_entries(vertex row, std::uint64_t n) { static_cast<void>(take(row, n)); }
  void append(vertex row, vertex column) { columns[take(row, 1)] = column; }

 private:
  // Relaxed: the finish of the phase orders it before the next one.
  std::uint64_t take(vertex row, std::uint64_t n) {
    std::uint64_t& slot = slots[row - first];
    if (tess::workers() != 1) return std::atomic_ref<std::uint64_t>(slot).fetch_add(n, std::memory_order_relaxed);
    std::uint64_t const before = slot;
    slot += n;
    return before;
  }
};

using matrix_parts = tess::place_local<matrix_part>;

class sparse_matrix {
 public:
  // The rows of a graph, which must live as long.
  static tess::task<sparse_matrix> of(graph::distributed_graph g);
  // Rows without entries, slots of zero.
  static tess::task<sparse_matrix> make(std::uint64_t size);
  static tess::task<void> release(sparse_matrix m);

  [[nodiscard]] tess::task<void> lay_out();
  [[nodiscard]] tess::task<void> finish() const;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // After lay_out().
  [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }
  [[nodiscard]] tess::place_id owner(vertex row) const noexcept {
    // As in distributed_graph: exact for 32-bit rows.
    return static_cast<tess::place_id>(static_cast<unsigned __int128>(row) * reciprocal_ >> 64);
  }
  [[nodiscard]] std::uint64_t begin_at(tess::place_id p) const noexcept { return std::min(p * block_, size_); }
  [[nodiscard]] std::uint64_t end_at(tess::place_id p) const noexcept {
    return std::min((p + std::uint64_t{1}) * block_, size_);
  }

  // This place's rows, and the name by which a message finds those of its place.
  [[nodiscard]] matrix_part& part() const { return *parts_; }
  [[nodiscard]] matrix_parts parts() const noexcept { return parts_; }

  // While it is made.
  [[nodiscard]] tess::global_ptr<std::uint64_t> slot(vertex row) const noexcept { return slots_[row]; }
  // The entry of a row at a position that its slot had.
  [[nodiscard]] tess::global_ptr<vertex> at(vertex row, std::uint64_t position) const {
    return part().columns_of[owner(row)] + static_cast<std::ptrdiff_t>(position);
  }
  // Where a row's first entry is counted from, and behind it where its last one ends.
  [[nodiscard]] tess::global_ptr<std::uint64_t> bounds(vertex row) const {
    tess::place_id const p = owner(row);
    return part().offsets_of[p] + static_cast<std::ptrdiff_t>(row - begin_at(p));
  }

 private:
  void set_blocks(std::uint64_t size, std::uint64_t block) noexcept;
  [[nodiscard]] tess::task<void> publish() const;

  matrix_parts parts_;
  tess::global_array<std::uint64_t> slots_;
  bool has_slots_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t block_ = 64;
  std::uint64_t reciprocal_ = 0;
  std::uint64_t entries_ = 0;
};

// Entries of rows [begin, end), counted from the place's first, a batch at a time.
class entry_cursor {
 public:
  entry_cursor(matrix_part const& part, std::uint64_t begin, std::uint64_t end) noexcept
      : rows_(part.rows), first_(part.first), row_(begin), next_(rows_.offsets[begin]), end_(rows_.offsets[end]) {}

  // Returns the number of entries written; 0 at the end.
  std::uint64_t take(std::span<entry> into) noexcept {
    std::uint64_t taken = 0;
    for (; taken < into.size() && next_ != end_; ++next_) {
      while (rows_.offsets[row_ + 1] == next_) ++row_;
      into[taken++] = {static_cast<vertex>(first_ + row_), rows_.targets[next_]};
    }
    return taken;
  }

 private:
  graph::rows rows_;
  std::uint64_t first_;
  std::uint64_t row_;
  std::uint64_t next_;
  std::uint64_t end_;
};

// A whole matrix at one place, for verifiers; rows in order, and the columns in them.
struct gathered_matrix {
  std::vector<std::uint64_t> offsets{0};
  std::vector<vertex> columns;

  friend bool operator==(gathered_matrix const&, gathered_matrix const&) = default;
};
[[nodiscard]] tess::task<gathered_matrix> gather(sparse_matrix m);

// By counting, in order: entries sorted by row, then by column.
[[nodiscard]] gathered_matrix sorted_matrix(std::uint64_t size, std::vector<entry> const& entries);

// A number that no other order of rows and no other matrix is likely to have; the same for all numbers of places.
[[nodiscard]] tess::task<std::uint64_t> checksum(sparse_matrix m);

}  // namespace kernels
