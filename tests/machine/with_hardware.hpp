// with_hardware: with TESS_RTL in the environment, the units of a test's machine are hardware, as by `--rtl`. The same
// test must then have the same results, to the cycle.
//
// Cost      the first time, Verilator compiles each unit for its parameters: up to a minute.
#pragma once

#include <cstdlib>

#include "machine/rtl/hardware.hpp"

namespace tess::machine {

[[nodiscard]] inline machine_description with_hardware(machine_description described) {
  if (std::getenv("TESS_RTL") != nullptr) put_hardware(hardware_names_of(described), described);  // NOLINT: one thread
  return described;
}

}  // namespace tess::machine
