// permute: rows and columns of a sparse matrix get other numbers: entry (i, j) becomes (rows[i], columns[j]).
//
//   words: new column numbers are read from the array that lies over all places, and entries are written where their
//   row will be. messages: tess::permute, which asks for the new numbers of all columns of a place at once, and sends
//   each entry to the owner of its new row, twice.
//
// Shapes    rows and columns: permutations of the matrix's size, in its blocks.
// Threads   one task calls it, for all places; it releases the result, too.
// Cost      for each entry a get and a put, and for each row a put and a fetch_add; or, for each entry, two items of
//           streams of 4 and 8 bytes, and 8 bytes for each column that a place has. Sorting of the rows.
// Source    permute_matrix of the bale suite (github.com/jdevinney/bale, its description).
#pragma once

#include "kernels/form.hpp"
#include "kernels/graph_matrix.hpp"
#include "kernels/random_permutation.hpp"

namespace kernels {

[[nodiscard]] tess::task<sparse_matrix> permute(sparse_matrix from, permutation rows, permutation columns, form how);

// The same by one thread.
[[nodiscard]] gathered_matrix permuted(gathered_matrix const& from, std::vector<std::uint32_t> const& rows,
                                       std::vector<std::uint32_t> const& columns);

}  // namespace kernels
