// memory_side: what the interface of remote atomics has below it: where the lines of its main entries come from and go
// to. Beside a node's memory that is the memory, with a directory and the interface cache (node_memory); beside a
// tile's L2 it is the L2's port (tile), without either.
//
// Units     global addresses, cached names.
// Threads   one.
// Source    RAE, section 3; docs/machine/rae.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/kernel/time.hpp"
#include "machine/rae/extended_mshr.hpp"

namespace tess::machine {

class memory_side {
 public:
  struct accesses {
    std::uint64_t reads = 0;          ///< Of lines, by main entries.
    std::uint64_t writes = 0;         ///< Of lines.
    std::uint64_t invalidations = 0;  ///< Lines that the core's caches had to give up.
  };
  virtual ~memory_side() = default;

  /// When an entry begins, and whenever it happens until its line is here: goes on to get it. The line's bytes: all
  /// requests of the entry are to be done to them now, and answered from `entry.ends` on. Null: the entry happens
  /// again.
  [[nodiscard]] virtual std::byte* reach(main_entry& entry) = 0;
  /// The bytes once more while the entry's requests are answered, for one that joins it. Null: it cannot.
  [[nodiscard]] virtual std::byte* join(main_entry& entry, bool stores) = 0;
  /// All requests of the entry have been answered.
  virtual void give_back(main_entry& /*entry*/) {}

  // Of a side that keeps lines when nobody asks for them.

  /// The byte in its cache, null if it has not got it; who asks for it is answered at `until`.
  [[nodiscard]] virtual std::byte* kept(std::uint64_t /*address*/, bool /*for_store*/, picoseconds /*until*/) noexcept {
    return nullptr;
  }
  /// atomics_interface::claim() for such a line.
  [[nodiscard]] virtual bool claim(std::uint64_t /*line*/, bool /*takes*/, event& /*then*/) { return false; }
  virtual void forget(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}

  [[nodiscard]] accesses const& counted_accesses() const noexcept { return accesses_; }

 protected:
  accesses accesses_;
};

}  // namespace tess::machine
