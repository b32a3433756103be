// copy_map: original → copy, in the accelerator's buffer in its memory: a list that is searched, or a hashed table.
//
//   The buffer has two halves: originals, then copies, so that looking for an original passes over no copies. The
//   hashed table has 2^(ceil(log2 n) + 1) slots for n objects; only its originals are cleared. Looking up and inserting
//   are two operations, as in Algorithm 1, whose map is exchangeable: both probe. (What the paper says a hashed map
//   costs a graph of one object, 0.4 us, is such a probe.)
//
// Shapes    [originals: entries words][copies: entries words]
// Units     offsets within the memory; cycles are those of the accesses: linear a stream of the list so far, hashed one
//           access for each slot that is looked at. Then an insertion is two posted writes.
// Errors    false: the list has no room, or the table would get no empty slot, without which a search has no end.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), section 3.5: H3 (Carter and Wegman, JCSS 1979), linear probing.
#pragma once

#include "machine/nma/accelerator_memory.hpp"

namespace tess::machine {

class copy_map {
 public:
  copy_map(accelerator_memory& memory, std::uint64_t offset, std::uint64_t bytes)
      : memory_(memory), offset_(offset), entries_(bytes / 2 / sizeof(std::uint64_t)) {}

  /// For a graph of so many objects, or more. False: the table does not fit.
  [[nodiscard]] task<bool> begin(registers::nma::map_code kind, std::uint64_t objects);
  /// The copy; 0: it has none yet.
  [[nodiscard]] task<std::uint64_t> find(std::uint64_t original);
  [[nodiscard]] task<bool> insert(std::uint64_t original, std::uint64_t copy);

 private:
  [[nodiscard]] std::uint64_t copies() const noexcept { return offset_ + entries_ * sizeof(std::uint64_t); }
  /// The slot that has the original, or the empty one where it belongs.
  [[nodiscard]] task<std::uint64_t> probe(std::uint64_t original);
  [[nodiscard]] static std::uint64_t hash(std::uint64_t original) noexcept;

  accelerator_memory& memory_;
  std::uint64_t offset_;
  std::uint64_t entries_;
  registers::nma::map_code kind_ = registers::nma::linear;
  std::uint64_t slots_ = 0;
  std::uint64_t count_ = 0;
  bool found_ = false;  ///< The last probe has found its original.
};

}  // namespace tess::machine
