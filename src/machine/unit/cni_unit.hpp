// cni_unit: the registers of a tile's cache-integrated network interface.
//
//   Commands for lines are complete when the store to the doorbell returns. Fields of a region keep their values; a
//   store to one of them disables the region until it is enabled again.
//
// Units     bytes; addresses of lines are global.
// Errors    an invalid command: `wrong`. An invalid register: the access traps. Other tiles cannot access them.
// Threads   one.
// Source    registers.hpp, `cni`.
#pragma once

#include "machine/tile/tile.hpp"
#include "machine/unit/command_unit.hpp"

namespace tess::machine {

class cni_unit final : public command_unit {
 public:
  /// The tile `at` must have an interface.
  cni_unit(machine_description const& description, tile& at);

  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;

 private:
  [[nodiscard]] registers::command_status begin(window& by) override;
  /// The field of a region; null: there is none.
  [[nodiscard]] std::uint64_t* region_field(region_table::entry& of, std::uint64_t offset) const noexcept;
  [[nodiscard]] region_table::entry* region_at(std::uint64_t offset) noexcept;

  machine_description const& description_;
  network_interface& interface_;
  region const& first_;  ///< The scratchpad of tile 0.
  std::uint64_t stride_;
};

}  // namespace tess::machine
