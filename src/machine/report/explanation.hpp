// explanation: a machine in words: its grid drawn, what a tile has, every parameter with unit and source.
#pragma once

#include <string>

#include "machine/config/description.hpp"

namespace tess::machine {

[[nodiscard]] std::string explanation_of(machine_description const& description);

}  // namespace tess::machine
