// explanation: drawn and written from the description, so that it matches the machine that is built.
#include "machine/report/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/own_unit/unit_file.hpp"

namespace tess::machine {
namespace {

constexpr std::uint32_t drawn_tiles_max = 16;  ///< Per row or column.

std::string size_of(std::uint64_t bytes) {
  if (bytes % (1U << 30U) == 0) return fmt::format("{} GiB", bytes >> 30U);
  if (bytes % (1U << 20U) == 0) return fmt::format("{} MiB", bytes >> 20U);
  if (bytes % (1U << 10U) == 0) return fmt::format("{} KiB", bytes >> 10U);
  return fmt::format("{} B", bytes);
}

/// A tile is a box of three lines with links to the east and south; wrap-around links are named below.
std::string drawing_of(machine_description const& description) {
  bool const links = description.network.topology != topology_kind::crossbar;
  std::uint32_t const width = std::min(description.width, drawn_tiles_max);
  std::uint32_t const height = std::min(description.height, drawn_tiles_max);
  std::string text;
  for (std::uint32_t y = 0; y < height; ++y) {
    std::string edge = "  ";
    std::string names = "  ";
    std::string units = "  ";
    std::string below = "  ";
    for (std::uint32_t x = 0; x < width; ++x) {
      std::uint32_t const tile = y * description.width + x;
      bool const last = x + 1 == width;
      edge += last ? "+---------+" : "+---------+     ";
      names += fmt::format("| {:<8}|{}", fmt::format("{},{}", x, y), last ? "" : links ? " --- " : "     ");
      units += fmt::format("| {:<8}|{}",
                           description.is_memory(tile) ? fmt::format("DDR {}h", description.harts_of(tile))
                                                       : fmt::format("{} harts", description.harts_of(tile)),
                           last ? "" : "     ");
      below += last ? "     |     " : "     |          ";
    }
    text += edge + "\n" + names + "\n" + units + "\n" + edge + "\n";
    if (links && y + 1 < height) text += below + "\n";
  }
  if (width < description.width || height < description.height)
    text += fmt::format("  ... of {} x {} tiles\n", description.width, description.height);
  if (description.network.topology == topology_kind::torus) text += "  The links at the edges go around: a torus.\n";
  if (description.mail_network) text += "  There is a second network of this form, for messages alone.\n";
  if (!links) text += "  Every tile is one step from every other: a crossbar.\n";
  return text;
}

std::string text_of(char const* name, cache_shape const& shape, char const* kind) {
  return fmt::format("  {:<9} {}, {} ways, lines of {} B, {}\n", name, size_of(shape.size_bytes()), shape.ways,
                     shape.line_bytes, kind);
}

std::string directory_of(coherence_description const& coherence) {
  std::string text = coherence.protocol == coherence_protocol::blocking
                         ? "  directory MESI, one request for a line at a time, all data through it"
                         : "  directory MESI, requests are forwarded to owners, which answer them";
  switch (coherence.homes) {
    case line_homes::memory:
      text += "; of its memory's lines\n";
      break;
    case line_homes::interleaved:
      text += fmt::format("; in each tile with harts, {} B in turn\n", coherence.interleave_bytes);
      break;
    case line_homes::partition:
      text += "; in each tile, of its partition's lines\n";
  }
  return text;
}

std::string units_of(machine_description const& description) {
  std::string text = fmt::format(
      "A compute tile has\n  harts     {} for programs and {} of the system, RV64GC, in order, {:.0f} MHz; each with\n",
      description.harts.application, description.harts.system, 1e6 / static_cast<double>(description.tile_clock_ps));
  text += text_of("  L1-I", description.l1_instruction, "invalidated by fence.i");
  text += text_of("  L1-D", description.l1_data, "write-through, snooped");
  if (description.mmu) {
    mmu_parameters const& mmu = *description.mmu;
    std::string const second = mmu.l2_tlb_entries == 0
                                   ? ""
                                   : fmt::format(", then {} entries of {} ways in {} cycles", mmu.l2_tlb_entries,
                                                 mmu.l2_tlb_ways, mmu.l2_tlb_cycles);
    text +=
        fmt::format("    MMU     Sv39, TLBs of {} entries for instructions and {} for data{}; walks through the L1-D\n",
                    mmu.itlb_entries, mmu.dtlb_entries, second);
  }
  std::string const l2 = text_of("L2", description.l2,
                                 fmt::format("write-back, {} cycles, {}coherent between tiles",
                                             description.l2_hit_cycles, description.coherence ? "" : "not ")
                                     .c_str());
  if (description.has_clusters()) {
    text += fmt::format("  memory    a scratchpad of {} for data, {} for text and constants, {} cycles\n",
                        size_of(description.cluster.scratchpad_bytes), size_of(description.cluster.image_bytes),
                        description.tlm_access_cycles);
    text += fmt::format("  portals   {} receive windows; nothing else comes in from other clusters\n",
                        description.cluster.receive_windows);
  } else {
    text +=
        l2 + fmt::format("  TLM       {}, {} cycles\n", size_of(description.tlm_bytes), description.tlm_access_cycles);
  }
  text += fmt::format("  bus       {} B a cycle\n", description.bus.bytes);
  text += fmt::format(
      "  adapter   {} words and as many lines under way, DMA in packets of {} B, {} tasks in its queue\n",
      description.adapter.outstanding, description.adapter.dma_packet_bytes, description.adapter.task_queue_entries);
  if (description.cni) {
    text += fmt::format("  interface in the L2: lines as scratchpad ({} of it), counters, queues, commands; {} jobs\n",
                        size_of(description.l2.way_bytes * (description.l2.ways - 1)), description.cni->jobs);
  }
  if (description.rae) {
    rae_description const& rae = *description.rae;
    std::string const lines = rae.beside == rae_place::l2        ? ""
                              : rae.policy == rae_policy::retain ? ", lines retained"
                                                                 : ", lines freed at once";
    std::string const place = rae.beside == rae_place::l2
                                  ? "L2: no cache"
                                  : fmt::format("memory: {} direct-mapped", size_of(rae.cache_bytes));
    text += fmt::format("  RAE       atomics beside the {}, {} MSHRs of {} requests{}{}\n", place, rae.main_entries,
                        rae.sub_entries, lines, rae.merge ? "" : ", not merged");
  }
  text += "  units     with registers: information (tile, hart, grid, map), ranges (write-back and invalidation)\n";
  text += fmt::format("A memory tile has {} harts for programs, all else, and\n",
                      description.harts.application_in_memory_tiles);
  if (description.has_clusters()) text += l2;
  text += fmt::format("  DDR       {}, {} ranks of {} banks, a port of {} B a cycle at {:.0f} MHz\n",
                      size_of(description.memory.size_bytes), description.dram.ranks, description.dram.banks,
                      description.memory.port_bytes, 1e6 / static_cast<double>(description.memory_clock_ps));
  if (description.coherence) text += directory_of(*description.coherence);
  return text;
}

std::string own_units_of(machine_description const& description) {
  std::string text;
  for (unit_description const& one : description.units) {
    std::string tiles;
    if (one.tiles.size() == description.tiles()) {
      tiles = "every tile";
    } else {
      for (std::uint32_t const tile : one.tiles)
        tiles += fmt::format("{}({}, {})", tiles.empty() ? one.tiles.size() == 1 ? "tile " : "tiles " : ", ",
                             tile % description.width, tile / description.width);
    }
    text += fmt::format("  {:<9} {}: {}\n", one.name, tiles, one.file->declared().meaning);
  }
  return text.empty() ? text : "Units of your own, by their files\n" + text;
}

std::string parameters_of(machine_description const& description) {
  std::size_t path_width = 0;
  std::size_t value_width = 0;
  for (explained_value const& one : description.explained) {
    path_width = std::max(path_width, one.path.size());
    value_width = std::max(value_width, one.value.size() + 1 + one.unit.size());
  }
  value_width = std::min<std::size_t>(value_width, 40);
  std::string text;
  for (explained_value const& one : description.explained) {
    std::string const value = one.unit.empty() ? one.value : one.value + " " + one.unit;
    std::string line = fmt::format("  {:<{}}  {:<{}}  {}", one.path, path_width, value, value_width, one.source);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string explanation_of(machine_description const& description) {
  return fmt::format("{}: {}\n\n{}\n{}\nEvery parameter, with its unit and its source:\n{}", description.name,
                     description.summary, drawing_of(description), units_of(description) + own_units_of(description),
                     parameters_of(description));
}

}  // namespace tess::machine
