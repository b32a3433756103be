// block_translator: the interface between the cache of decoded blocks and what makes code of the host for them.
//
//   Blocks stay as they are decoded: a translation is another handler of a slot, so a hart may enter and leave it
//   anywhere. It is made once, from the slots, and dropped with the block.
//
// Threads   none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/hart/inst.hpp"

namespace tess::machine {

// Where an indirect jump goes, by bits of its pc.
struct jump_entry {
  static constexpr std::size_t count = 4096;  // of a table
  std::uint64_t pc = 1;                       // odd: never a pc
  inst const* first = nullptr;
};

class block_translator {
 public:
  virtual ~block_translator() = default;
  // Gives the first slot of a block, and others of it, new handlers. False: it stays as it is.
  virtual bool translate(inst* first, jump_entry const* jumps) = 0;
  // No hart will enter any block that was translated.
  virtual void forget() noexcept = 0;
  // There is no room for more.
  [[nodiscard]] virtual bool is_full() const noexcept = 0;
};

}  // namespace tess::machine
