// table: the result of a run, in a few lines.
#include "machine/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace tess::machine {
namespace {

constexpr double percent = 100;
constexpr double million = 1e6;

/// 12345678 as 12 345 678.
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, " ");
  return digits;
}

std::string time_of(std::uint64_t ps) {
  if (ps < 1'000'000'000) return fmt::format("{:.3f} us", static_cast<double>(ps) * 1e-6);
  if (ps < 1'000'000'000'000) return fmt::format("{:.3f} ms", static_cast<double>(ps) * 1e-9);
  return fmt::format("{:.3f} s", static_cast<double>(ps) * 1e-12);
}

std::string at_tile(machine_description const& description, std::uint32_t number) {
  return fmt::format("({}, {})", number % description.width, number / description.width);
}

/// Lines about regions, those with most cycles first.
std::string regions_of(std::span<region_total const> regions) {
  constexpr std::size_t shown_max = 8;
  std::vector<region_total const*> sorted;
  for (region_total const& one : regions) sorted.push_back(&one);
  std::ranges::sort(sorted, std::greater{},
                    [](region_total const* one) { return std::pair(one->all.cycles, one->begin); });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), shown_max); ++i) {
    region_total const& one = *sorted[i];
    text += fmt::format("machine: {} {} cycles of {} hart{}, {} of its own, {:.3f} instructions a cycle, {} time{}\n",
                        fmt::format("region {:<10}", one.name), grouped(one.all.cycles), one.harts,
                        one.harts == 1 ? "" : "s", grouped(one.own.cycles), share(one.all.instructions, one.all.cycles),
                        grouped(one.times), one.times == 1 ? "" : "s");
  }
  if (sorted.size() > shown_max) text += fmt::format("machine: and {} more regions\n", sorted.size() - shown_max);
  return text;
}

std::string energy_of(measurement const& run, machine_description const& description) {
  energy_counts const all = run.energy_sum();
  constexpr double fj_in_uj = 1e9;
  double const total = static_cast<double>(all.total()) / fj_in_uj;
  std::string parts;
  for (std::size_t i = 0; i < energy_units; ++i) {
    if (all.fj[i] == 0) continue;
    parts += fmt::format("{}{} {:.1f}%", parts.empty() ? "" : ", ", name_of(static_cast<energy_unit>(i)),
                         percent * share(all.fj[i], all.total()));
  }
  bool const known = description.dram.currents.chips != 0;
  return fmt::format("machine: energy            {:.3f} uJ, {:.3f} mW: {}{}\n", total,
                     share(all.total(), run.simulated_ps), parts, known ? "" : "; the DRAM's is not known");
}

constexpr double busy = 0.5;  // from here on a part limits the run, rather than waits for others

}  // namespace

std::string name_of(bottleneck const& of, machine_description const& description) {
  std::string const at = at_tile(description, of.from);
  switch (of.is) {
    case bottleneck::kind::none:
      break;
    case bottleneck::kind::bus:
      return "the bus of tile " + at;
    case bottleneck::kind::memory_port:
      return "the memory's port in tile " + at;
    case bottleneck::kind::dram_bus:
      return "the DRAM's data bus in tile " + at;
    case bottleneck::kind::nma:
      return "the NMA of tile " + at;
    case bottleneck::kind::nca:
      return "the NCA of tile " + at;
    case bottleneck::kind::link:
      return "the link from " + at + " to " + at_tile(description, of.to);
    case bottleneck::kind::exit:
      return "the link from the network to tile " + at;
    case bottleneck::kind::injection:
      return "the link from tile " + at + " into the network";
  }
  return "nothing";
}

std::string table_of(measurement const& run, machine_description const& description, double host_seconds) {
  auto const harts = run.hart_memory_sum();
  auto const l2 = run.l2_sum();
  auto const memory = run.memory_sum();
  auto const instructions = static_cast<double>(run.instructions);
  std::uint64_t ran = 0;
  for (hart_measured const& one : run.harts) ran += one.instructions > 0 ? 1 : 0;
  std::string text =
      fmt::format("machine: simulated time    {}, {} cycles\n", time_of(run.simulated_ps), grouped(run.cycles));
  if (run.fast_forwarded != 0)
    text += fmt::format("machine: fast-forwarded    {} instructions, which are in none of these numbers\n",
                        grouped(run.fast_forwarded));
  text += fmt::format("machine: instructions      {}, {:.3f} a cycle, of {} harts\n", grouped(run.instructions),
                      share(run.instructions, run.cycles), ran);
  text += fmt::format(
      "machine: hits              L1-I {:.3f}% of {} instructions, L1-D {:.2f}% of {} loads, L2 {:.2f}% of {}\n",
      percent * (1 - share(harts.fetch_misses, run.instructions)), grouped(run.instructions),
      percent * (1 - share(harts.load_misses, harts.loads)), grouped(harts.loads),
      percent * share(l2.hits, l2.hits + l2.misses), grouped(l2.hits + l2.misses));
  if (description.prefetcher) {
    text += fmt::format("machine: prefetched        {} lines: {:.1f}% useful, {:.1f}% late, {:.1f}% useless\n",
                        grouped(l2.prefetches), percent * share(l2.prefetches_useful, l2.prefetches),
                        percent * share(l2.prefetches_late, l2.prefetches),
                        percent * share(l2.prefetches_useless, l2.prefetches));
  }
  if (description.pipeline) {
    auto const issued = run.issued_sum();
    std::uint64_t const transfers = issued.branches + issued.jumps;
    text += fmt::format("machine: issued            {:.2f}% in pairs, {:.2f}% of {} branches and jumps mispredicted\n",
                        percent * share(2 * issued.pairs, run.instructions),
                        percent * share(issued.mispredictions, transfers), grouped(transfers));
  }
  if (description.mmu) {
    text += fmt::format(
        "machine: translated        {} misses of ITLBs, {} of DTLBs; {} page walks of {:.1f} cycles, {} page faults\n",
        grouped(harts.itlb_misses), grouped(harts.dtlb_misses), grouped(harts.page_walks),
        share(harts.walk_cycles, harts.page_walks), grouped(harts.page_faults));
  }
  if (link_measured const* const busiest = run.busiest_link()) {
    text += fmt::format("machine: network load      {:.2f}% of all links, {:.2f}% of the busiest, {} to {}\n",
                        percent * run.mean_link_load(), percent * busiest->load, at_tile(description, busiest->from),
                        at_tile(description, busiest->to));
  } else {
    text += "machine: network load      none: there are no links\n";
  }
  text += fmt::format("machine: DRAM load         {:.2f}% of the ports, {} B, {:.1f}% row hits\n",
                      percent * memory.load, grouped(memory.port.bytes), percent * row_hit_rate(memory.dram));
  if (description.energy) text += energy_of(run, description);
  bottleneck const most = bottleneck_of(run);
  text += fmt::format("machine: bottleneck        {}{}, busy for {:.0f}% of the time\n",
                      most.load < busy ? "no part of the machine; most is " : "", name_of(most, description),
                      percent * most.load);
  if (most.is == bottleneck::kind::injection) {
    injection_measured const& one = run.injections[most.from];
    text += fmt::format("machine:                   {:.1f} packets wait there, each for {:.0f} cycles\n", one.waiting,
                        share(one.counted.wait_cycles, one.counted.packets));
  }
  text += regions_of(run.regions);
  for (own_unit_measured const& one : run.own_unit_sums()) {
    std::string counts;
    for (auto const& [name, value] : one.counted)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", name, grouped(value));
    text += fmt::format("machine: unit {:<12} {}{}\n", one.name, counts.empty() ? "counts nothing" : counts,
                        one.tile == 1 ? "" : fmt::format(", in {} tiles", one.tile));
  }
  text += fmt::format("machine: here              {:.3f} s, {:.2f} million instructions/s, {} events\n", host_seconds,
                      instructions / host_seconds / million, grouped(run.events));
  return text;
}

std::string table_of(machine_outcome const& run, std::span<region_total const> regions, double host_seconds) {
  std::string text =
      fmt::format("machine: simulated time    {}, an instruction a ns and hart\n", time_of(run.simulated_ns * 1000));
  text += fmt::format("machine: instructions      {}\n", grouped(run.instructions));
  text += regions_of(regions);
  text += fmt::format("machine: here              {:.3f} s, {:.2f} million instructions/s\n", host_seconds,
                      static_cast<double>(run.instructions) / host_seconds / million);
  return text;
}

}  // namespace tess::machine
