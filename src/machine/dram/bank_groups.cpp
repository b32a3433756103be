// bank_groups: the timing rules that DDR4, DDR5, LPDDR5 and HBM add to those of DDR3.
//
//   Banks of one group share a part of the path of their data, so commands to one group follow each other later than
//   those to different ones.
//
// Source    JEDEC 79-4C (DDR4), 4.3 and 13.3; the rules of 79-5B, 209-5B and 235D have the same form.
#include "machine/dram/rules.hpp"

namespace tess::machine {

std::vector<dram_rule> rules_of(dram_parameters const& parameters) {
  using enum dram_command;
  dram_timing const& t = parameters.timing;
  std::vector<dram_rule> rules = ddr3_rules(t);
  if (parameters.groups == 1) return rules;
  constexpr auto group = dram_level::group;
  constexpr auto rank = dram_level::rank;
  rules.insert(rules.end(), {
                                {group, activate, activate, t.rrd_l},
                                {group, read, read, t.ccd_l},
                                {group, write, write, t.ccd_l_write},
                                {group, write, read, t.cwl + t.burst + t.wtr_l},
                                {rank, precharge_all, activate, t.rp_all},
                                {rank, precharge_all, refresh, t.rp_all},
                            });
  return rules;
}

}  // namespace tess::machine
