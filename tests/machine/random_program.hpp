// random_program: an RV64GC executable of random instructions that ends by printing its whole state.
//
//   A loop around `instructions` random ones: every row of instructions.def that a user program may execute, and random
//   compressed ones, with random operands, immediates and rounding modes; special floating-point values in registers
//   and in memory; forward branches and jumps. Each iteration folds every register and fcsr into
//   sums, so a wrong result shows at the end, on standard output: 65 sums, then 8 KiB of scratch memory.
//
// Shapes    x26 to x31 are reserved: a sum of results, three scratch registers, the loop counter, the middle of the
// data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "machine/isa/decode.hpp"

namespace tess::machine {

struct random_program {
  std::vector<std::byte> file;
  std::set<operation> used;          // what the body may execute
  std::uint64_t instructions_about;  // that a run executes
};

// Size of the output: 65 sums, the rest of a page, and the scratch memory.
inline constexpr std::size_t random_program_output_bytes = 12288;

[[nodiscard]] random_program make_random_program(std::uint64_t seed, unsigned instructions, unsigned turns);

}  // namespace tess::machine
