// hardware: puts the hardware of units in the place of their models (`--rtl`).
//
// Errors    rtl_error: the machine has no such unit, or its hardware cannot be had.
// Threads   one.
#pragma once

#include <string>
#include <vector>

#include "machine/config/description.hpp"

namespace tess::machine {

/// The units that there are as hardware, by the names of their folders in rtl/.
inline std::vector<std::string> const hardware_names{"cni", "nca", "nma", "rae"};

void put_hardware(std::vector<std::string> const& names, machine_description& into);
/// Those that this machine has.
[[nodiscard]] std::vector<std::string> hardware_names_of(machine_description const& described);

}  // namespace tess::machine
