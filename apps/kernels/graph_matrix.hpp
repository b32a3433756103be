// graph_matrix: the matrix of a graph's edges, and what the kernels on matrices and their verifiers share.
//
//   Like every graph here it has no diagonal, no repeated entries and no values.
//
// Units     rows and columns count from 0, up to 2^32 - 2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "tess/tess.hpp"

namespace kernels {

using graph::vertex;  // a row or a column
using sparse_matrix = tess::sparse_matrix<>;
using matrix_rows = tess::matrix_rows<>;
using gathered_matrix = tess::gathered_matrix<>;
using entry = tess::matrix_entry<>;

// The rows of a graph, which must live as long.
[[nodiscard]] tess::task<sparse_matrix> matrix_of(graph::distributed_graph g);

// Entries of rows [begin, end), counted from the place's first, a batch at a time.
class entry_cursor {
 public:
  entry_cursor(matrix_rows const& rows, std::uint64_t begin, std::uint64_t end) noexcept
      : rows_(rows), row_(begin), next_(rows_.offsets[begin]), end_(rows_.offsets[end]) {}

  // Returns the number of entries written; 0 at the end.
  std::uint64_t take(std::span<entry> into) noexcept {
    std::uint64_t taken = 0;
    for (; taken < into.size() && next_ != end_; ++next_) {
      while (rows_.offsets[row_ + 1] == next_) ++row_;
      into[taken++] = {static_cast<vertex>(rows_.first + row_), rows_.columns[next_], {}};
    }
    return taken;
  }

 private:
  matrix_rows rows_;
  std::uint64_t row_;
  std::uint64_t next_;
  std::uint64_t end_;
};

// By counting, in order: entries sorted by row, then by column.
[[nodiscard]] gathered_matrix sorted_matrix(std::uint64_t size, std::vector<entry> const& entries);

// A number that no other order of rows and no other matrix is likely to have; the same for all numbers of places.
[[nodiscard]] tess::task<std::uint64_t> checksum(sparse_matrix m);

}  // namespace kernels
