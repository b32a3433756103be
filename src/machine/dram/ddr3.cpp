// ddr3: the timing rules of DDR3 as a table.
//
// Source    JEDEC 79-3F, 4.13 (READ), 4.14 (WRITE), 4.5 (ACTIVATE), 4.8 (REFRESH), table 65 and following (timing).
#include "machine/dram/rules.hpp"

namespace tess::machine {

std::vector<dram_rule> ddr3_rules(dram_timing const& t) {
  using enum dram_command;
  constexpr auto bank = dram_level::bank;
  constexpr auto rank = dram_level::rank;
  constexpr auto other = dram_level::other_rank;
  auto const at_least_burst = [&](std::uint32_t later, std::uint32_t earlier) {
    // Data of the following command, `earlier` cycles after it, must start after that of the preceding one.
    return later > earlier ? later - earlier : 1;
  };
  std::uint32_t const read_to_write = at_least_burst(t.cl + t.burst + t.rtrs, t.cwl);
  std::uint32_t const written = t.cwl + t.burst;  // WRITE to the end of its data
  return {
      // Rows.
      {bank, activate, read, t.rcd},
      {bank, activate, write, t.rcd},
      {bank, activate, precharge, t.ras},
      {bank, activate, activate, t.rc()},
      {bank, precharge, activate, t.rp},
      {bank, read, precharge, t.rtp},
      {bank, write, precharge, written + t.wr},
      {rank, activate, activate, t.rrd},
      {rank, activate, activate, t.faw, 4},
      {rank, activate, precharge_all, t.ras},
      {rank, read, precharge_all, t.rtp},
      {rank, write, precharge_all, written + t.wr},
      {rank, precharge, precharge_all, 1},
      {rank, precharge_all, activate, t.rp},
      // Columns and the data bus.
      {rank, read, read, t.ccd},
      {rank, write, write, t.ccd},
      {rank, read, write, read_to_write},
      {rank, write, read, written + t.wtr},
      {other, read, read, t.burst + t.rtrs},
      {other, write, write, t.burst + t.rtrs},
      {other, read, write, read_to_write},
      {other, write, read, at_least_burst(written + t.rtrs, t.cl)},
      // Refresh.
      {rank, precharge, refresh, t.rp},
      {rank, precharge_all, refresh, t.rp},
      {rank, activate, refresh, t.rc()},
      {rank, refresh, activate, t.rfc},
      {rank, refresh, refresh, t.rfc},
  };
}

}  // namespace tess::machine
