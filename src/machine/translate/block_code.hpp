// block_code: the translation of one decoded block of RV64 instructions into instructions of the host.
//
//   The code is a handler like any other: it is entered and left with hart, slot and memory where a handler has them.
//   So what it does not translate, and every access that is misaligned or forbidden, it leaves to the slot's own
//   handler, which goes on in the block's slots, or stops the hart there, as if there were no translation. Integer
//   instructions, loads, stores, branches and jumps are translated; behind each of the others there is another entry,
//   which becomes the handler of the next slot.
//
//   Counts are those of the slots, so a hart stops where it would without translation. Blocks are left through the
//   slots of their jumps, which code_cache links: no code is ever changed. A branch to the begin of its own block
//   stays in it, with all registers.
//
// Errors    empty: the code does not fit into the buffer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "machine/hart/code_cache.hpp"
#include "machine/hart/inst.hpp"
#include "machine/isa/decode.hpp"

namespace tess::machine {

// What the code of blocks refers to.
struct code_surroundings {
  std::byte const* begin;     // of the code
  std::byte const* expire;    // code: the time is over; the slot is that of the next block
  std::byte const* go_to_pc;  // code: an indirect jump to the hart's pc, which is counted
  jump_entry const* jumps;    // the table of indirect jumps
};

struct block_entry_point {
  std::size_t slot;    // whose handler this becomes
  std::size_t offset;  // in the code
};

struct block_code {
  std::size_t bytes;
  std::vector<block_entry_point> entries;
};

// `first` is the block's first slot, `kinds` the operations of its slots from there to its link.
[[nodiscard]] std::optional<block_code> translated(std::span<std::byte> buffer, inst const* first,
                                                   std::span<operation const> kinds, code_surroundings const& around);

}  // namespace tess::machine
