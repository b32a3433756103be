// topological_sort: orders rows and columns of a sparse matrix so that it becomes upper triangular, if possible.
//
//   A row with a single entry is removed and placed at the end of the unordered part, together with the entry's column;
//   the other entries of that column leave their rows. Each row keeps one word, the sum of (2^32 + column) over its
//   remaining entries: one subtraction both counts and, at the last but one, identifies the remaining column. Rows are
//   removed as soon as possible, without steps. A row's level is one more than the highest of the rows that freed it,
//   and the order is by level, then by row, whatever the timing.
//
// Shapes    rows, columns: for each row or column of the matrix its new number.
// Threads   one task calls it, for all places; it releases the two arrays, too.
// Errors    tess::error if no order makes the matrix upper triangular with a full diagonal.
// Cost      words: for each entry a fetch_max and a fetch_sub, and a block transfer for each column; messages: one of
//           24 bytes for each entry and one for each column. 20 bytes for each row while it runs, 8 for each pair of a
//           level and a place, over all places.
// Source    toposort_matrix of the bale suite (github.com/jdevinney/bale, its description), where rows keep two words,
//           and the order is left to chance.
#pragma once

#include <string>
#include <vector>

#include "kernels/form.hpp"
#include "kernels/graph_matrix.hpp"
#include "kernels/random_permutation.hpp"

namespace kernels {

struct triangular_order {
  permutation rows;
  permutation columns;
  std::uint64_t levels = 0;  // the length of the longest chain of rows that had to wait for each other
};

// `transposed` is the transpose of `m`.
[[nodiscard]] tess::task<triangular_order> topological_sort(sparse_matrix m, sparse_matrix transposed, form how);

// An upper triangular matrix with a full diagonal: entries above it with probability `density` each, the same for all
// numbers of places.
[[nodiscard]] tess::task<sparse_matrix> random_upper_triangle(std::uint64_t size, double density, std::uint64_t seed);

// Empty if the two orders are permutations and make the matrix upper triangular with a full diagonal; else what is
// wrong.
[[nodiscard]] std::string what_is_wrong(gathered_matrix const& m, std::vector<std::uint32_t> const& rows,
                                        std::vector<std::uint32_t> const& columns);

}  // namespace kernels
