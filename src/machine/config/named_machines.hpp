// named_machines: the machines that come with this program, by name.
//
// Errors    config_error: no such machine, or its file is wrong.
#pragma once

#include <string>
#include <vector>

#include "machine/config/description.hpp"

namespace tess::machine {

/// Of the files beside this executable, as built or installed; sorted.
[[nodiscard]] std::vector<std::string> machine_names();
/// `wanted` is such a name, or a file whose name ends in .toml.
[[nodiscard]] machine_description described_machine(std::string const& wanted);

}  // namespace tess::machine
