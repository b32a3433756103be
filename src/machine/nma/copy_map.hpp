// copy_map: maps originals to copies, in the accelerator's buffer in its memory: a linear list, or a hash table.
//
//   The buffer has two halves, originals and copies, so that a search for an original reads no copies. The hash table
//   has 2^(ceil(log2 n) + 1) slots for n objects; only its originals are cleared. Look-up and insertion are two
//   operations, as in Algorithm 1, whose map is exchangeable: both probe. (The paper's cost of a hashed map for a graph
//   of one object, 0.4 us, is one such probe.)
//
// Shapes    [originals: entries words][copies: entries words]
// Units     offsets within the memory; cycles are those of the accesses: for a list a stream of the entries so far, for
//           a table one access per probed slot. An insertion adds two posted writes.
// Errors    false: the list is full, or the table would have no empty slot, without which a search does not end.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), section 3.5: H3 (Carter and Wegman, JCSS 1979), linear probing.
#pragma once

#include "machine/nma/accelerator_memory.hpp"

namespace tess::machine {

class copy_map {
 public:
  copy_map(accelerator_memory& memory, std::uint64_t offset, std::uint64_t bytes)
      : memory_(memory), offset_(offset), entries_(bytes / 2 / sizeof(std::uint64_t)) {}

  /// For a graph of at least so many objects. False: the table does not fit.
  [[nodiscard]] task<bool> begin(registers::nma::map_code kind, std::uint64_t objects);
  /// The copy; 0: there is none yet.
  [[nodiscard]] task<std::uint64_t> find(std::uint64_t original);
  [[nodiscard]] task<bool> insert(std::uint64_t original, std::uint64_t copy);

 private:
  [[nodiscard]] std::uint64_t copies() const noexcept { return offset_ + entries_ * sizeof(std::uint64_t); }
  /// The slot of the original, or the empty slot where it belongs.
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
