// transpose: turns entry (i, j) of a sparse matrix into entry (j, i), at the place of row j.
//
//   words: each entry adds one to its column's slot, at the place of the new row; again to get its position;
//   then it is written there. messages: the owner of the new row does the same, by two messages.
//
// Threads   one task calls it, for all places; it releases the result, too.
// Cost      three word operations, or two messages of 12 and 16 bytes, for each entry; sorting of the rows.
// Source    transpose_matrix of the bale suite (github.com/jdevinney/bale, its description): as loads and stores
//           ("AGI") and by aggregation.
#pragma once

#include "kernels/form.hpp"
#include "kernels/sparse_matrix.hpp"

namespace kernels {

[[nodiscard]] tess::task<sparse_matrix> transpose(sparse_matrix from, form how);

// The same by one thread.
[[nodiscard]] gathered_matrix transposed(gathered_matrix const& from);

}  // namespace kernels
