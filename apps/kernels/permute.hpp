// permute: rows and columns of a sparse matrix get other numbers: entry (i, j) becomes (rows[i], columns[j]).
//
//   words: new column numbers are read from the array that lies over all places, and entries are written where their
//   row will be. messages: an entry travels to the owner of its column's new number, and from there to that of its row.
//
// Shapes    rows and columns: permutations of the matrix's size, in its blocks.
// Threads   one task calls it, for all places; it releases the result, too.
// Cost      for each entry a get and a put, or two messages of 20 and 16 bytes; for each row a put and a get, or a
//           message. Sorting of the rows.
// Source    permute_matrix of the bale suite (github.com/jdevinney/bale, its description).
#pragma once

#include "kernels/form.hpp"
#include "kernels/random_permutation.hpp"
#include "kernels/sparse_matrix.hpp"

namespace kernels {

[[nodiscard]] tess::task<sparse_matrix> permute(sparse_matrix from, permutation rows, permutation columns, form how);

// The same by one thread.
[[nodiscard]] gathered_matrix permuted(gathered_matrix const& from, std::vector<std::uint32_t> const& rows,
                                       std::vector<std::uint32_t> const& columns);

}  // namespace kernels
