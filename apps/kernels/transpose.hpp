// transpose: turns entry (i, j) of a sparse matrix into entry (j, i), at the place of row j.
//
//   words: each entry adds one to its column's slot, at the place of the new row; again to get its position;
//   then it is written there. messages: tess::transpose, which sends the owner of the new row each entry twice.
//
// Threads   one task calls it, for all places; it releases the result, too.
// Cost      three word operations, or two items of streams of 4 and 8 bytes, for each entry; sorting of the rows.
// Source    transpose_matrix of the bale suite (github.com/jdevinney/bale, its description): as loads and stores
//           ("AGI") and by aggregation.
#pragma once

#include "kernels/form.hpp"
#include "kernels/graph_matrix.hpp"

namespace kernels {

[[nodiscard]] tess::task<sparse_matrix> transpose(sparse_matrix from, form how);

// The same by one thread.
[[nodiscard]] gathered_matrix transposed(gathered_matrix const& from);

}  // namespace kernels
