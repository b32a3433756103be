// atomics_interface: RAE's network interface for a tile: performs loads, stores and atomics for other nodes.
//
//   Beside a node's memory it is the clocked unit of node_interface; beside a tile's L2 it is l2_interface.
//
// Units     global addresses, cached names.
// Errors    remote_outcome::wrong for operations that are not in the table, and for words across two lines.
// Threads   one.
// Source    RAE, section 3 and Table I; docs/machine/rae.md lists the differences.
#pragma once

#include <cstdint>

#include "machine/adapter/transaction.hpp"

namespace tess::machine {

class atomics_interface {
 public:
  struct statistics {
    std::uint64_t requests = 0;       ///< Looked up: hits + entries + merged.
    std::uint64_t hits = 0;           ///< Their line was in the interface cache.
    std::uint64_t entries = 0;        ///< Main entries allocated: misses.
    std::uint64_t merged = 0;         ///< Joined a main entry.
    std::uint64_t memory_reads = 0;   ///< Accesses to lines, of the memory or of the L2.
    std::uint64_t memory_writes = 0;  ///< The same that wrote.
    std::uint64_t invalidations = 0;  ///< Lines that the core's caches had to surrender.
    std::uint64_t full_stalls = 0;    ///< Requests that found no free entry and blocked those behind.
    std::uint64_t refused = 0;        ///< Refusals because the queue was full.
  };

  atomics_interface() = default;
  atomics_interface(atomics_interface const&) = delete;
  atomics_interface& operator=(atomics_interface const&) = delete;
  virtual ~atomics_interface() = default;

  /// A load, store, atomic or compare and swap of a word of the node; `finished` happens when `access` has its status.
  virtual void serve(transaction& access, event& finished) = 0;
  [[nodiscard]] virtual statistics counted() const noexcept = 0;
  /// Is nothing in progress?
  [[nodiscard]] virtual bool idle() const noexcept = 0;
};

}  // namespace tess::machine
