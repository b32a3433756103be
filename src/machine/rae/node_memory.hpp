// node_memory: a node's DDR below its atomics interface, with the interface cache and the node's directory.
//
//   A line of the node is in the core's caches or in the interface, never in both. The directory is the tags of both,
//   read in one look-up. A main entry takes a line from the core's caches by one turn on the coherence bus, whatever
//   the number of its requests; an entry with loads only takes a copy and leaves the line. Accesses of the core's
//   caches, of DMA and of other nodes to the memory come by claim(): the interface surrenders the line first. A line in
//   flight to or from the L2 is not requested from either.
//
//   When the last request of a main entry has been answered, its line is kept in the interface cache (`retain`) or
//   returned to memory (`free_at_once`).
//
// Units     global addresses, cached names; cycles of the tile's clock.
// Threads   one.
// Source    RAE, section 3 and Table I; docs/machine/rae.md lists the differences.
#pragma once

#include <span>

#include "machine/cache/l2_private.hpp"
#include "machine/config/description.hpp"
#include "machine/memory/memory_port.hpp"
#include "machine/rae/memory_side.hpp"

namespace tess::machine {

class node_memory final : public memory_side {
 public:
  /// `own`: the node's partition, in this memory.
  node_memory(kernel& k, machine_description const& description, region const& own, l2_private& cores,
              memory_port& memory);
  node_memory(node_memory const&) = delete;
  node_memory& operator=(node_memory const&) = delete;

  [[nodiscard]] std::byte* reach(main_entry& entry) override;
  [[nodiscard]] std::byte* join(main_entry& entry, bool /*stores*/) override { return entry.line.data(); }
  void give_back(main_entry& entry) override;
  [[nodiscard]] std::byte* kept(std::uint64_t address, bool for_store, picoseconds until) noexcept override;
  [[nodiscard]] bool claim(std::uint64_t line, bool takes, event& then) override;
  void forget(std::uint64_t address, std::uint64_t bytes) override;

 private:
  enum line_state : std::uint8_t { clean = 1, dirty };

  [[nodiscard]] std::uint64_t offset_of(std::uint64_t line) const noexcept {
    return own_.memory_offset + (line - own_.base);
  }
  void seek(main_entry& entry);
  /// False: it has not arrived.
  [[nodiscard]] bool take(main_entry& entry);
  void retain(main_entry& entry);
  void write_memory(std::uint64_t line, std::span<std::byte const> bytes);

  kernel& kernel_;
  clock_domain clock_;
  rae_description const& description_;
  region own_;
  l2_private& cores_;
  memory_port& memory_;
  cache_array kept_;  ///< The interface cache; a line's metadata is the time of its last answer.
  event nothing_{[](event&) {}};
};

}  // namespace tess::machine
