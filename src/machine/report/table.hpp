// table: the short table after a run, and the same as JSON.
//
// Units     as the text says; the JSON's are in docs/machine/machine.md.
#pragma once

#include <span>
#include <string>

#include "machine/report/measurement.hpp"

namespace tess::machine {

/// In words, e.g. "the bus of tile (0, 0)".
[[nodiscard]] std::string name_of(bottleneck const& of, machine_description const& description);
/// All lines but the last, which is about the host, are a function of machine, program and input.
[[nodiscard]] std::string table_of(measurement const& run, machine_description const& description, double host_seconds);
/// For a run without time.
[[nodiscard]] std::string table_of(machine_outcome const& run, std::span<region_total const> regions,
                                   double host_seconds);

inline constexpr int statistics_schema = 1;
/// `of_runtime`: what the runtime in the program wrote of itself, as JSON; empty: nothing.
[[nodiscard]] std::string json_of(measurement const& run, machine_description const& description,
                                  std::string const& program, int exit_code, double host_seconds,
                                  std::string const& of_runtime);
[[nodiscard]] std::string json_of(machine_outcome const& run, std::string const& machine, std::string const& program,
                                  double host_seconds, std::string const& of_runtime,
                                  std::span<region_total const> regions);

}  // namespace tess::machine
