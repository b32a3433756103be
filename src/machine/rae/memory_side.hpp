// memory_side: the level below RAE's network interface: the source and target of its lines. Beside a node's memory it
// is the memory with a directory and the interface cache (node_memory); beside a tile's L2 it is a port of the L2
// (tile).
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
    std::uint64_t reads = 0;          ///< Lines read for main entries.
    std::uint64_t writes = 0;         ///< Lines written.
    std::uint64_t invalidations = 0;  ///< Lines that the core's caches had to surrender.
  };
  virtual ~memory_side() = default;

  /// Called when an entry begins, and whenever it happens until its line has arrived: continues to fetch it. Returns
  /// the line's bytes: all requests of the entry are to be applied to them now and answered from `entry.ends` on. Null:
  /// the entry will happen again.
  [[nodiscard]] virtual std::byte* reach(main_entry& entry) = 0;
  /// The bytes again while the entry's requests are answered, for a request that joins. Null: it cannot join.
  [[nodiscard]] virtual std::byte* join(main_entry& entry, bool stores) = 0;
  /// All requests of the entry have been answered.
  virtual void give_back(main_entry& /*entry*/) {}

  // For a memory side with a cache:

  /// The byte in its cache, or null; the request is answered at `until`.
  [[nodiscard]] virtual std::byte* kept(std::uint64_t /*address*/, bool /*for_store*/, picoseconds /*until*/) noexcept {
    return nullptr;
  }
  /// atomics_interface::claim() for a cached line.
  [[nodiscard]] virtual bool claim(std::uint64_t /*line*/, bool /*takes*/, event& /*then*/) { return false; }
  virtual void forget(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}

  [[nodiscard]] accesses const& counted_accesses() const noexcept { return accesses_; }

 protected:
  accesses accesses_;
};

}  // namespace tess::machine
