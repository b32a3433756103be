// code_cache: blocks decoded once, found by pc, linked to each other as they are run.
//
//   A block is straight code from its pc to the first jump that is always taken, or to the limits of block_rules; it
//   goes on past conditional branches, which leave it when taken. It is reached through the link of another block,
//   through the jump table (indirect jumps), or through the map (everything else).
//   What a program writes into its own code is seen after clear(), as after FENCE.I.
//
// Cost      24 bytes an instruction, 40 more a block. clear() is called by itself when inst_max is reached.
// Threads   none; harts of one program share one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "machine/hart/inst.hpp"
#include "machine/hart/memory_policy.hpp"

namespace tess::machine {

class code_cache {
 public:
  // `handlers` by operation, from the engine that will run the blocks.
  code_cache(code_source const& source, handler* const* handlers, block_rules rules);

  // The first instruction of the block at pc, decoded now if it must be. Never null: what cannot be executed is a
  // block whose instruction traps.
  inst const* block_at(std::uint64_t pc);
  // The same if it is already there, or null.
  [[nodiscard]] inst const* find(std::uint64_t pc) const noexcept;

  // Makes the jump behind this stub go to `first` from now on.
  static void link(inst const* stub, inst const* first) noexcept;
  // Remembers where an indirect jump went.
  void remember(std::uint64_t pc, inst const* first) noexcept { jumps_[slot(pc)] = {pc, first}; }
  // Where an indirect jump goes, or null.
  [[nodiscard]] inst const* jump(std::uint64_t pc) const noexcept {
    jump_entry const& entry = jumps_[slot(pc)];
    return entry.pc == pc ? entry.first : nullptr;
  }

  // Forgets everything. Harts that are stopped find their way again by pc.
  void clear() noexcept;
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  [[nodiscard]] block_rules const& rules() const noexcept { return rules_; }
  [[nodiscard]] code_source const& source() const noexcept { return source_; }

 private:
  struct jump_entry {
    std::uint64_t pc = 1;  // odd: no pc
    inst const* first = nullptr;
  };
  static constexpr std::size_t jump_entries = 4096;
  static constexpr std::size_t inst_max = std::size_t{1} << 22U;  // 96 MiB
  static constexpr std::size_t chunk_insts = 16384;

  static std::size_t slot(std::uint64_t pc) noexcept { return (pc >> 1U) % jump_entries; }
  inst* allocate(std::size_t insts);

  code_source const& source_;
  handler* const* handlers_;
  block_rules rules_;
  std::uint64_t generation_ = 1;
  std::array<jump_entry, jump_entries> jumps_{};
  std::unordered_map<std::uint64_t, inst const*> blocks_;
  std::vector<std::unique_ptr<inst[]>> chunks_;  // NOLINT: their size is chunk_insts
  std::size_t chunk_used_ = chunk_insts;
};

}  // namespace tess::machine
