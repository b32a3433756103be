// currents: the currents of DRAM chips by what they do, and the energy that follows from a channel's commands.
//
//   A rank draws IDD3N while a row of it is open and IDD2N otherwise. Each command adds what its own current draws
//   beyond these: a row's ACTIVATE and PRECHARGE over tRC, a burst over its time on the bus, a refresh over tRFC.
//   Power-down, the drivers of the data bus and termination are not modelled.
//
// Units     mA of a chip, mV; femtojoules.
// Source    Micron TN-41-01, "Calculating Memory System Power for DDR3" (2007); K. Chandrasekar et al., DRAMPower.
#pragma once

#include <cmath>
#include <cstdint>

#include "machine/dram/parameters.hpp"

namespace tess::machine {

/// What a channel has done up to a time.
struct dram_activity {
  std::uint64_t activates = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t refreshes = 0;
  std::uint64_t open_cycles = 0;  ///< Sum over the ranks of those in which a row was open.
  std::uint64_t rank_cycles = 0;  ///< Cycles times ranks.
};

/// 0: it is not known.
[[nodiscard]] inline std::uint64_t dram_energy_fj(dram_parameters const& of, dram_activity const& did) noexcept {
  dram_currents const& c = of.currents;
  dram_timing const& t = of.timing;
  auto const cycles = [](std::uint64_t count) { return static_cast<double>(count); };
  // mA times cycles.
  double const row = c.idd0_ma * (cycles(t.ras) + t.rp) - c.idd3n_ma * cycles(t.ras) - c.idd2n_ma * cycles(t.rp);
  double sum = row * cycles(did.activates);
  sum += (c.idd4r_ma - cycles(c.idd3n_ma)) * t.burst * cycles(did.reads);
  sum += (c.idd4w_ma - cycles(c.idd3n_ma)) * t.burst * cycles(did.writes);
  sum += (c.idd5_ma - cycles(c.idd2n_ma)) * t.rfc * cycles(did.refreshes);
  sum += c.idd3n_ma * cycles(did.open_cycles) + c.idd2n_ma * cycles(did.rank_cycles - did.open_cycles);
  // mA, mV and ps make attojoules.
  double const attojoules = sum * cycles(t.clock_ps) * c.vdd_mv * c.chips;
  return attojoules <= 0 ? 0 : static_cast<std::uint64_t>(std::llround(attojoules / 1000));
}

}  // namespace tess::machine
