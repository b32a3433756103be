// memory_policy: the interface between hart and memory, as a class of inlined functions.
//
//   The engine is a template over the policy, so a hit costs only the policy's own code. load and store, the hit path,
//   are inlined into each instruction, without calls. If they return false, load_slowly and store_slowly are called,
//   out of line. If these return false, too, the hart stops with `request` filled in, and the policy's owner performs
//   the access at kernel time (hart.hpp). A policy with another reason than load, store, ... sets h.stopped and returns
//   false: `access` for a forbidden address, with request.right.
//
//   The contract:
//   - `fast` is the pointer that the policy gave to run(): a base, or the structure whose tags the hit path compares.
//   - load and store must not have effects that others could observe too early. With time, h.now(i) is the end of
//     instruction i; a store earlier than every foreign event may be done in place (run-ahead,
//     docs/internals/machine.md, 3), or stop the hart.
//   - fetch is called at the start of a block and at each L1-I line; blocks do not extend into lines not fetched.
//   - Addresses are passed as the program uses them; relocation, tags and rights are the policy's.
//   - timed == false promises that every instruction takes one cycle: the engine then keeps one counter, not two.
//   - in_place_atomics: LR, SC and AMOs are done by atomic(), whose result goes to rd; otherwise they stop the hart.
//
// Threads   none.
// Test      tests/machine/hart_test.cpp runs one program on flat_memory and on a policy that refuses every access.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "machine/hart/hart.hpp"

namespace tess::machine {

template <class Policy>
concept memory_policy = requires(hart& h, inst const* i, std::byte* fast, std::uint64_t address, std::uint64_t& value) {
  { Policy::timed } -> std::convertible_to<bool>;
  { Policy::in_place_atomics } -> std::convertible_to<bool>;
  { Policy::template load<std::uint64_t>(h, i, fast, address, value) } -> std::same_as<bool>;
  { Policy::template load_slowly<std::uint64_t>(h, i, fast, address, value) } -> std::same_as<bool>;
  { Policy::template store<std::uint64_t>(h, i, fast, address, value) } -> std::same_as<bool>;
  { Policy::template store_slowly<std::uint64_t>(h, i, fast, address, value) } -> std::same_as<bool>;
  { Policy::fetch(h, i, fast, address) } -> std::same_as<bool>;
};

// Source of the decoder's halfwords: memory for a machine without time, L1-I lines for one with time.
class code_source {
 public:
  virtual ~code_source() = default;
  // The two bytes at pc; false if they are not present or not executable.
  virtual bool halfword(std::uint64_t pc, std::uint16_t& into) const = 0;
};

// Cycles of instructions beyond the first, by class; from the machine file.
struct instruction_costs {
  std::uint8_t multiply = 0;
  std::uint8_t divide = 0;
  std::uint8_t float_add = 0;  // and conversions, comparisons, moves between register files
  std::uint8_t float_multiply = 0;
  std::uint8_t float_divide = 0;  // and square root
  std::uint8_t branch_taken = 0;  // and every jump
  std::uint8_t load_use = 0;      // of the next instruction after a load, if it reads the loaded register
  bool operator==(instruction_costs const&) const = default;
};

// Limits of blocks.
struct block_rules {
  std::uint32_t fetch_line_bytes = 0;   // of the L1-I: blocks end there and fetch each line; 0: no fetches
  std::uint32_t instructions_max = 64;  // 1..64: the largest overshoot of a quantum
  instruction_costs costs;              // used only if the policy is timed
  bool issues = false;                  // a slot before each instruction asks the hart's pipeline for its time
  bool learns = false;                  // without time: such a slot before each branch and jump, for its predictor
  std::uint8_t narrow_load = 0;         // with these: more cycles until a loaded byte or half-word can be read
  bool profiled = false;                // blocks tell the hart's profile when they are entered
  std::uint32_t translated_after = 0;   // so many entries of a block, unless it is traced; 0: never
  bool traced = false;                  // instructions tell the hart's log of commits when they begin
  bool operator==(block_rules const&) const = default;
};

}  // namespace tess::machine
