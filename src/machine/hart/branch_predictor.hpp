// branch_predictor: directions by counters, targets by a buffer, returns by a stack.
//
//   A prediction and what it learns are one call, at the issue of the branch: between two branches of an in-order hart
//   no outcome is unknown for longer than a misprediction takes.
//
// Cost      a search of all entries of the target buffer for each jump that is taken.
// Threads   none.
// Source    J. E. Smith, "A Study of Branch Prediction Strategies" (ISCA 1981), for counters; S. McFarling, "Combining
//           Branch Predictors" (DEC WRL TN-36, 1993), for gshare; return-address hints: RISC-V Unprivileged ISA
//           20191213, 2.5, which also says that software may rely on backward branches being predicted taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/hart/pipeline_parameters.hpp"

namespace tess::machine {

class branch_predictor {
 public:
  struct outcome {
    bool right = true;
    bool targeted = true;  ///< The target buffer, or the stack, had the target.
  };

  explicit branch_predictor(branch_parameters const& parameters);

  [[nodiscard]] branch_parameters const& parameters() const noexcept { return parameters_; }

  /// A conditional branch.
  outcome branch(std::uint64_t pc, std::uint64_t target, bool taken);
  /// A jump to an address that is in the instruction; it is never wrong.
  outcome jump(std::uint64_t pc, std::uint64_t target);
  /// A jump to an address in a register, other than a return.
  outcome indirect(std::uint64_t pc, std::uint64_t target);
  /// A jump that links pushes the address behind it.
  void call(std::uint64_t returns_to);
  outcome back(std::uint64_t target);

 private:
  /// The direction that the counter of the branch says, which then counts the outcome.
  bool predict_and_count(std::uint64_t pc, bool taken);
  /// Had the buffer this target? It has it now.
  bool find_and_enter(std::uint64_t pc, std::uint64_t target);

  branch_parameters parameters_;
  std::vector<std::uint8_t> counters_;
  std::uint64_t history_ = 0;        ///< The last outcome is the lowest bit.
  std::vector<std::uint64_t> from_;  ///< Addresses of jumps in the target buffer; odd: none.
  std::vector<std::uint64_t> to_;
  std::size_t replaced_next_ = 0;
  std::vector<std::uint64_t> returns_;
  std::size_t top_ = 0;
};

}  // namespace tess::machine
