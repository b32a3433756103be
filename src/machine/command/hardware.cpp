// hardware: the parameters of each unit as its SystemVerilog has them.
#include "machine/command/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/command/run.hpp"
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

}  // namespace

void put_hardware(std::vector<std::string> const& names, machine_description& into) try {
  for (std::string const& name : names) {
    if (name == "rae") {
      if (!into.has_nodes())
        throw wrong_use{
            fmt::format("--rtl rae: {} has no interface for remote atomics beside a memory; rae-6, rae-16 "
                        "and rae-64 have it",
                        into.name)};
      into.hardware.rae = std::make_shared<rtl_library const>(compiled_hardware(name, parameters_of_rae(into)));
    } else if (name == "nma") {
      if (!into.has_accelerators())
        throw wrong_use{
            fmt::format("--rtl nma: {} has no near-memory accelerator; nemesys-4x4 and others have it", into.name)};
      into.hardware.nma = std::make_shared<rtl_library const>(compiled_hardware(name, parameters_of_nma(into.nma)));
    } else if (name == "nca") {
      if (!into.has_accelerators())
        throw wrong_use{
            fmt::format("--rtl nca: {} has no near-cache accelerator; nemesys-4x4 and others have it", into.name)};
      if (into.l2.line_bytes < 16) throw wrong_use{"--rtl nca: lines of the L2 have at least 16 bytes there"};
      into.hardware.nca = std::make_shared<rtl_library const>(compiled_hardware(name, parameters_of_nca(into)));
      into.hardware.nca_ranges =
          std::make_shared<rtl_library const>(compiled_hardware("nca/nca_ranges", parameters_of_ranges(into)));
    } else if (name == "cni") {
      if (!into.cni)
        throw wrong_use{fmt::format("--rtl cni: {} has no network interfaces in its caches; cni-4 and others have them",
                                    into.name)};
      into.hardware.cni = std::make_shared<rtl_library const>(compiled_hardware(name, {}));
      into.hardware.cni_pieces = std::make_shared<rtl_library const>(compiled_hardware("cni/cni_pieces", {}));
      into.hardware.cni_aligner = std::make_shared<rtl_library const>(compiled_hardware("cni/cni_aligner", {}));
      into.hardware.cni_jobs =
          std::make_shared<rtl_library const>(compiled_hardware("cni/cni_jobs", {{"JOBS", into.cni->listed_jobs()}}));
    }
  }
} catch (rtl_error const& wrong) {
  throw wrong_use{fmt::format("--rtl: {}", wrong.what())};
}

}  // namespace tess::machine
