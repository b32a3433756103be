// with_hardware: with TESS_RTL in the environment, the units of a test's machine are hardware, as by `--rtl`. The same
// test must then have the same results, to the cycle.
//
// Cost      the first time, Verilator compiles each unit for its parameters: up to a minute.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine/rtl/hardware.hpp"

namespace tess::machine {

/// `may_have_none`: some of the test's machines have no unit that there is as hardware.
[[nodiscard]] inline machine_description with_hardware(machine_description described, bool may_have_none = false) {
  if (std::getenv("TESS_RTL") == nullptr) return described;  // NOLINT: one thread
  std::vector<std::string> const names = hardware_names_of(described);
  if (names.empty() && !may_have_none) throw std::runtime_error(described.name + " has no unit as hardware");
  put_hardware(names, described);
  return described;
}

}  // namespace tess::machine
