// energy: what a run has taken, by tile and unit: events times the energy of each, from the table [energy].
//
//   Every event has been counted for other reasons, so energy takes no time of the simulator until somebody asks. Not
//   in it, for want of counts: leakage, clocks of harts that wait, adapters, and the tile-local memory's accesses by
//   other units than harts.
//
// Units     femtojoules. A word has 64 bits.
// Source    the numbers are in the machine file, each with its own; DRAM: currents.hpp.
// Test      tests/machine/energy_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/timed/timed_hart.hpp"

namespace tess::machine {

class timed_machine;

enum class energy_unit : std::uint8_t { harts, l2, tlm, bus, network, accelerators, dram };
inline constexpr std::size_t energy_units = 7;
[[nodiscard]] char const* name_of(energy_unit unit) noexcept;

struct energy_counts {
  std::array<std::uint64_t, energy_units> fj{};

  [[nodiscard]] std::uint64_t& operator[](energy_unit unit) noexcept { return fj[static_cast<std::size_t>(unit)]; }
  [[nodiscard]] std::uint64_t operator[](energy_unit unit) const noexcept { return fj[static_cast<std::size_t>(unit)]; }
  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (std::uint64_t const one : fj) sum += one;
    return sum;
  }
  void add(energy_counts const& other) noexcept {
    for (std::size_t i = 0; i < energy_units; ++i) fj[i] += other.fj[i];
  }
  [[nodiscard]] energy_counts since(energy_counts const& before) const noexcept {
    energy_counts made;
    for (std::size_t i = 0; i < energy_units; ++i) made.fj[i] = fj[i] - before.fj[i];
    return made;
  }
};

/// Up to now, by tile; empty without [energy].
[[nodiscard]] std::vector<energy_counts> energy_of(timed_machine const& machine);
/// That of all but harts: their counters are exact at the kernel's time.
[[nodiscard]] std::vector<energy_counts> energy_of_units(timed_machine const& machine);
/// That of harts, which run ahead of the kernel's time: up to now, or up to a mark of the program.
[[nodiscard]] std::vector<energy_counts> energy_of_harts(timed_machine const& machine,
                                                         std::optional<timed_hart::measured_part> at = {});
/// The sum of all tiles.
[[nodiscard]] energy_counts sum_of(std::vector<energy_counts> const& tiles) noexcept;

}  // namespace tess::machine
