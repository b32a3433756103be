// pipeline_parameters: how an in-order hart issues instructions and predicts branches, as a machine file says it.
//
// Units     cycles of the hart's clock. The latencies of instructions are those of instruction_costs.
#pragma once

#include <cstdint>

namespace tess::machine {

/// A hart whose instructions wait for the operands that they read, rather than for all before them.
struct pipeline_parameters {
  std::uint32_t issue_width = 1;         ///< Instructions in a cycle: 1 or 2.
  bool multiplies_overlap = true;        ///< A multiplication can begin in each cycle.
  std::uint32_t late_cycles = 0;         ///< By so much may operands of ALU, branch and store be late.
  std::uint32_t narrow_load_cycles = 0;  ///< More until a loaded byte or half-word can be read.
};

/// Static: backward branches are taken, forward ones are not. The others count outcomes.
enum class branch_direction : std::uint8_t { fixed, bimodal, gshare };

struct branch_parameters {
  branch_direction direction = branch_direction::fixed;
  std::uint32_t counters = 0;        ///< A power of two; 0 if fixed.
  std::uint32_t counter_bits = 2;    ///< 1 or 2.
  std::uint32_t history_bits = 0;    ///< Outcomes of the branches before; gshare only.
  std::uint32_t target_entries = 0;  ///< The branch target buffer's; fully associative.
  std::uint32_t return_entries = 0;  ///< The return-address stack's.
  std::uint32_t mispredicted_cycles = 0;
  std::uint32_t untargeted_cycles = 0;  ///< For a jump that is predicted right but not in the target buffer.
};

}  // namespace tess::machine
