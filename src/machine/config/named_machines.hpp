// named_machines: the machines that are installed with this program, by name.
//
// Errors    config_error: no such machine, or an invalid file.
#pragma once

#include <string>
#include <vector>

#include "machine/config/description.hpp"

namespace tess::machine {

/// The names of the installed machine files, sorted.
[[nodiscard]] std::vector<std::string> machine_names();
/// `wanted` is such a name, or a file whose name ends in .toml.
[[nodiscard]] machine_description described_machine(std::string const& wanted);

}  // namespace tess::machine
