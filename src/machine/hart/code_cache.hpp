// code_cache: blocks decoded once, found by pc, linked to each other as they are run.
//
//   A block is straight-line code from its pc to the first unconditional jump, or to the limits of block_rules; it
//   continues past conditional branches, which leave it when taken. It is reached through the link of another block,
//   through the jump table (indirect jumps), or through the map (everything else). Writes of a program to its own code
//   take effect after clear(), as after FENCE.I.
//
//   Caches of programs with the same code can have the same blocks (share()), so that the host's caches hold them once.
//   A cache that drops its blocks has blocks of its own from then on.
//
// Cost      24 bytes per instruction, and 40 per block. clear() happens by itself when inst_max is reached.
// Threads   none; the harts of one program share a cache.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "machine/hart/block_translator.hpp"
#include "machine/hart/inst.hpp"
#include "machine/hart/memory_policy.hpp"
#include "machine/isa/decode.hpp"

namespace tess::machine {

// The instruction at pc, in whatever line; illegal if it is not there.
[[nodiscard]] decoded word_at(code_source const& source, std::uint64_t pc);

class code_cache {
 public:
  // `handlers` by operation, of the engine that will run the blocks.
  code_cache(code_source const& source, handler* const* handlers, block_rules rules);

  // The first instruction of the block at pc, which is decoded now if necessary. Never null: for code that cannot be
  // executed, the block's instruction traps.
  inst const* block_at(std::uint64_t pc);
  // The same if it is already decoded, or null.
  [[nodiscard]] inst const* find(std::uint64_t pc) const noexcept;

  // Links the jump behind this stub to `first` from now on.
  static void link(inst const* stub, inst const* first) noexcept;
  // Records the target of an indirect jump.
  void remember(std::uint64_t pc, inst const* first) noexcept { blocks_->jumps[slot(pc)] = {pc, first}; }
  // The recorded target of an indirect jump, or null.
  [[nodiscard]] inst const* jump(std::uint64_t pc) const noexcept {
    jump_entry const& entry = blocks_->jumps[slot(pc)];
    return entry.pc == pc ? entry.first : nullptr;
  }

  // A translation takes as long as some hundred entries of a block.
  static constexpr std::uint32_t usual_entries = 100;
  // From now on blocks that are entered so often have code of the host, which `by` makes; it is told when blocks are
  // dropped, and must live as long.
  void translate(block_translator& by, std::uint32_t after_entries = usual_entries) {
    translator_ = &by;
    rules_.translated_after = after_entries;
    clear();
  }
  // A block that may be translated is entered through this slot. True: it has another handler from now on.
  [[nodiscard]] bool count_entry(inst const* slot);

  // From now on blocks tell the profiles of their harts when they are entered.
  void tell_profiles() {
    rules_.profiled = true;
    clear();
  }

  // From now on instructions tell the logs and observers of their harts when they begin.
  void tell_commits() {
    rules_.traced = true;
    clear();
  }

  // Drops all blocks. Stopped harts continue by pc.
  void clear();
  // Has the blocks of that one from now on, if it decodes like this one. Its source must have the same code.
  void share(code_cache const& with) {
    if (rules_ == with.rules_ && handlers_ == with.handlers_) blocks_ = with.blocks_;
  }
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  [[nodiscard]] block_rules const& rules() const noexcept { return rules_; }
  [[nodiscard]] code_source const& source() const noexcept { return source_; }

 private:
  static constexpr std::size_t inst_max = std::size_t{1} << 22U;  // 96 MiB
  static constexpr std::size_t chunk_insts = 16384;

  // Blocks, and how they are found.
  struct block_table {
    std::array<jump_entry, jump_entry::count> jumps{};
    std::vector<jump_entry> known;  // a hash table, at most half full; its size is a power of two
    std::size_t count = 0;
    std::vector<std::unique_ptr<inst[]>> chunks;  // NOLINT: their size is chunk_insts
    std::size_t chunk_used = chunk_insts;

    // Where the block at pc is among `known`, or belongs.
    [[nodiscard]] std::size_t place_of(std::uint64_t pc) const noexcept;
    void add(std::uint64_t pc, inst const* first);
    inst* allocate(std::size_t insts);
  };

  static std::size_t slot(std::uint64_t pc) noexcept { return (pc >> 1U) % jump_entry::count; }

  code_source const& source_;
  handler* const* handlers_;
  block_rules rules_;
  block_translator* translator_ = nullptr;
  std::uint64_t generation_ = 1;
  std::shared_ptr<block_table> blocks_ = std::make_shared<block_table>();
};

}  // namespace tess::machine
