// package: commands of `tess` that are modules of the package tessera for Python.
//
// Errors    usage_error, if there is no Python.
#pragma once

#include <string>

#include "cli/command/command.hpp"
#include "cli/tree.hpp"

namespace tess::cli {

/// Becomes `python3 -m MODULE ARGUMENTS` with the package of this tree. `command`: in messages.
[[noreturn]] void become_module(tree const& here, std::string const& command, std::string const& module,
                                words const& arguments);

}  // namespace tess::cli
