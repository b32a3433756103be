// named_machines: the machines that are installed with this program, by name.
//
// Errors    config_error: no such machine, or an invalid file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "machine/config/description.hpp"

namespace tess::machine {

/// The names of the installed machine files, sorted.
[[nodiscard]] std::vector<std::string> machine_names();
/// The file of a machine: of an installed one by its name, else one of this name in the folder `near`; or a path from
/// there, if it ends in .toml. Empty if no machine has this name; a path need not exist.
[[nodiscard]] std::filesystem::path file_of_machine(std::string const& wanted, std::filesystem::path const& near);
/// The file of a memory by its name: of an installed one, else one in the folder `memory` of `near`. Empty: none.
[[nodiscard]] std::filesystem::path file_of_memory(std::string const& wanted, std::filesystem::path const& near);
/// The names of the installed memories, sorted.
[[nodiscard]] std::vector<std::string> memory_names();
/// `wanted` is such a name, or a file whose name ends in .toml.
[[nodiscard]] machine_description described_machine(std::string const& wanted);

}  // namespace tess::machine
