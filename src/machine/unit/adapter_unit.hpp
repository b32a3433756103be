// adapter_unit: the adapter's commands: compare-and-swap of a word at its home, and copies by DMA.
//
//   Loads, stores and AMOs of other tiles' words need no command. A compare-and-swap does, as LR and SC have no home
//   elsewhere (docs/internals/machine.md, 2); its `result` is the word that was found. A copy is run by the adapter of
//   the tile at which its source is and moves whole lines of the L2, behind all caches: ragged ends are the program's,
//   as words. On a machine with clusters it copies from the own cluster only, and into others by `send`, which their
//   windows let in or refuse (portals.hpp).
//
// Units     bytes.
// Errors    what cannot be one of these is refused at the doorbell. What the home then does not have is told by the
//           doorbell, and as `error` of the counter.
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
  adapter_unit(kernel& k, machine_description const& description, network& noc, tile& at);

 private:
  [[nodiscard]] registers::command_status begin(window& by) override;
  /// The command as a transaction; false: it cannot be one.
  [[nodiscard]] bool prepare(window const& by, transaction& request) const;
  [[nodiscard]] bool prepare_copy(window const& by, bool sends, transaction& request) const;
  process run(window& by);

  kernel& kernel_;
  network& network_;
  tile& tile_;
  completion completion_;
  std::uint64_t line_bytes_;
  bool clusters_;
};

}  // namespace tess::machine
