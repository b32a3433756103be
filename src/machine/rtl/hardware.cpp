// hardware: the parameters of each unit as its SystemVerilog has them.
#include "machine/rtl/hardware.hpp"

#include <fmt/format.h>

#include "machine/rae/node_interface.hpp"
#include "machine/rtl/compile.hpp"
#include "machine/rtl/rtl_library.hpp"

namespace tess::machine {
namespace {

/// Those of the largest node; the others have the same.
rtl_parameters parameters_of_rae(machine_description const& described) {
  interface_parameters const made = parameters_of(described);
  return {{"MAIN_ENTRIES", made.main_entries},     {"SUB_ENTRIES", made.sub_entries},
          {"QUEUE_ENTRIES", made.queue_entries},   {"PACKET_CYCLES", made.packet_cycles},
          {"LOOK_UP_CYCLES", made.look_up_cycles}, {"OPERATION_CYCLES", made.operation_cycles},
          {"CACHE_LINES", made.cache_lines},       {"LINE_BYTES", made.line_bytes},
          {"ADDRESS_WIDTH", made.address_bits},    {"REQUEST_TAG_WIDTH", made.tag_bits()},
          {"RETAIN", made.retain ? 1U : 0U},       {"MERGE", made.merge ? 1U : 0U}};
}

rtl_parameters parameters_of_nma(nma_description const& described) {
  return {{"QUEUE_ENTRIES", described.queue_entries},
          {"STATE_CYCLES", described.state_cycles},
          {"BURST_BYTES", described.burst_bytes},
          {"STREAM_BURSTS", described.stream_bursts},
          {"POSTED_WRITES", described.posted_writes}};
}

rtl_parameters parameters_of_nca(machine_description const& described) {
  return {{"QUEUE_ENTRIES", described.nca.queue_entries},
          {"STATE_CYCLES", described.nca.state_cycles},
          {"STACK_ENTRIES", described.nca.stack_entries},
          {"LINE_BYTES", described.l2.line_bytes}};
}

rtl_parameters parameters_of_ranges(machine_description const& described) {
  return {{"QUEUE_ENTRIES", described.nca.range_queue_entries},
          {"LINE_CYCLES", described.nca.range_line_cycles},
          {"LINE_BYTES", described.l2.line_bytes}};
}

/// Why this machine cannot have this unit as hardware; empty: it can.
std::string reason_against(std::string const& name, machine_description const& described) {
  std::string const& machine = described.name;
  if (name == "rae" && !described.has_nodes())
    return fmt::format("{} has no interface for remote atomics beside a memory; rae-6, rae-16 and rae-64 have it",
                       machine);
  if (name == "nma" && !described.has_accelerators())
    return fmt::format("{} has no near-memory accelerator; nemesys-4x4 and others have it", machine);
  if (name == "nca" && !described.has_accelerators())
    return fmt::format("{} has no near-cache accelerator; nemesys-4x4 and others have it", machine);
  if (name == "nca" && described.l2.line_bytes < 16) return "lines of the L2 have at least 16 bytes there";
  if (name == "cni" && !described.cni)
    return fmt::format("{} has no network interfaces in its caches; cni-4 and others have them", machine);
  return {};
}

std::shared_ptr<rtl_library const> library(std::string const& unit, rtl_parameters const& parameters) {
  return std::make_shared<rtl_library const>(compiled_hardware(unit, parameters));
}

}  // namespace

std::vector<std::string> hardware_names_of(machine_description const& described) {
  std::vector<std::string> names = hardware_names;
  std::erase_if(names, [&](std::string const& name) { return !reason_against(name, described).empty(); });
  return names;
}

void put_hardware(std::vector<std::string> const& names, machine_description& into) {
  hardware_description& hardware = into.hardware;
  for (std::string const& name : names) {
    if (std::string const reason = reason_against(name, into); !reason.empty())
      throw rtl_error(fmt::format("{}: {}", name, reason));
    if (name == "rae") {
      hardware.rae = library(name, parameters_of_rae(into));
    } else if (name == "nma") {
      hardware.nma = library(name, parameters_of_nma(into.nma));
    } else if (name == "nca") {
      hardware.nca = library(name, parameters_of_nca(into));
      hardware.nca_ranges = library("nca/nca_ranges", parameters_of_ranges(into));
    } else if (name == "cni") {
      hardware.cni = library(name, {});
      hardware.cni_pieces = library("cni/cni_pieces", {});
      hardware.cni_aligner = library("cni/cni_aligner", {});
      hardware.cni_jobs = library("cni/cni_jobs", {{"JOBS", into.cni->listed_jobs()}});
    }
  }
}

}  // namespace tess::machine
