// adapter_unit: commands of the adapter: compare-and-swap of a word at its home, and copies by DMA.
//
//   Loads, stores and AMOs of other tiles' words need no command. A compare-and-swap needs one, as LR and SC work at
//   home only (docs/internals/machine.md, 2); its `result` is the old word. A copy is run by the adapter of the source
//   tile and moves whole lines of the L2, bypassing all caches; the program copies ragged ends as words. On a machine
//   with clusters it copies within the own cluster only, and to others by `send`, which their windows accept or refuse
//   (portals.hpp).
//
// Units     bytes.
// Errors    an invalid command is refused at the doorbell. A fault at the home is reported by the doorbell and as
//           `error` of the counter.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), section 3 (network adapter); registers.hpp, `adapter`.
#pragma once

#include "machine/kernel/kernel.hpp"
#include "machine/tile/tile.hpp"
#include "machine/unit/command_unit.hpp"
#include "machine/unit/completion.hpp"

namespace tess::machine {

class adapter_unit final : public command_unit {
 public:
  adapter_unit(kernel& k, machine_description const& description, tile& at);

 private:
  [[nodiscard]] registers::command_status begin(window& by) override;
  /// Translates the command to a transaction; false: it is invalid.
  [[nodiscard]] bool prepare(window const& by, transaction& request) const;
  [[nodiscard]] bool prepare_copy(window const& by, bool sends, transaction& request) const;
  process run(window& by);

  kernel& kernel_;
  tile& tile_;
  completion completion_;
  std::uint64_t line_bytes_;
  bool clusters_;
};

}  // namespace tess::machine
