// node_memory: a node's DDR below its interface of remote atomics, the interface cache, and the directory of the node.
//
//   Two agents may have a line of the node: its core's caches or the interface, never both. The directory is the tags
//   of both, read in one look-up. A main entry for a line that the core's caches have takes it from there by one turn
//   on the coherence bus, whatever the number of its requests; loads alone take a copy and leave it. What the core's
//   caches, DMA and other nodes want of the memory comes by claim(): the interface gives the line up first. While a
//   line is on its way to or from the L2 neither is asked for it.
//
//   When a main entry's last request has been answered, its line is kept in the interface cache (`retain`) or given
//   back to the memory (`free_at_once`).
//
// Units     global addresses, cached names; cycles of the tile's clock.
// Threads   one.
// Source    RAE, section 3 and Table I; docs/machine/rae.md has what differs.
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
  /// False: it is not here yet.
  [[nodiscard]] bool take(main_entry& entry);
  void retain(main_entry& entry);
  void write_memory(std::uint64_t line, std::span<std::byte const> bytes);

  kernel& kernel_;
  clock_domain clock_;
  rae_description const& description_;
  region own_;
  l2_private& cores_;
  memory_port& memory_;
  cache_array kept_;  ///< The interface cache; a line's metadata is when its last answer leaves.
  event nothing_{[](event&) {}};
};

}  // namespace tess::machine
