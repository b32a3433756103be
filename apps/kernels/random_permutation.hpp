// random_permutation: the numbers 0 to n - 1 in random order, by all places at once, by throwing darts at a board.
//
//   Dart i goes to slot hash(seed, i, t) of 2n at its t-th throw. If two darts meet in a slot, the one with fewer
//   throws stays (the smaller number, if these are equal), and the other is thrown again. The darts in the order of
//   their slots are the permutation.
//
//   The result does not depend on the order of throws: this is the proposing half of stable matching, whose
//   outcome is the same in every order (McVitie and Wilson, 1970). So a seed gives one permutation for every number of
//   places, without a barrier between throws. All permutations are equally likely: hashes are uniform, and the choice
//   of the dart that stays does not depend on the slot, so renaming the slots changes no probability.
//
// Shapes    [n], in blocks of multiples of 64.
// Units     n from 1 to 2^32 - 1.
// Threads   one task calls it, for all places; it releases the array, too.
// Cost      2 ln 2 = 1.39 throws for each dart: a fetch_min of a 64-bit word, or a message of 16 bytes. 16 bytes for
//           each dart, while it runs.
// Source    Gibbons, Matias, Ramachandran, "Efficient low-contention parallel algorithms" (1996), as in the randperm of
//           the bale suite; the order of the darts, which makes the outcome repeat, is ours.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/form.hpp"
#include "tess/tess.hpp"

namespace kernels {

using permutation = tess::global_array<std::uint32_t>;

[[nodiscard]] tess::task<permutation> random_permutation(std::uint64_t n, std::uint64_t seed, form how);

// The whole permutation, at the caller's place.
[[nodiscard]] tess::task<std::vector<std::uint32_t>> gather(permutation p);

// Whether every number occurs once.
[[nodiscard]] bool is_permutation(std::vector<std::uint32_t> const& numbers);

// The same permutation by one thread, whose last dart is thrown first.
[[nodiscard]] std::vector<std::uint32_t> random_permutation_alone(std::uint64_t n, std::uint64_t seed);

}  // namespace kernels
