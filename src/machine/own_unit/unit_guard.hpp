// unit_guard: says which unit's code runs, so that a crash in it, or code that does not return, ends the simulator with
// a message that names the unit, its tile and the cycle.
//
//   The first guard installs handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, and a timer of the process's time
//   in this program. A signal that comes while no unit's code runs has its usual effect.
//
// Cost      a guard writes eight words.
// Errors    after a signal: the message on standard error, and exit code 1. No report of the run is written.
// Threads   one.
#pragma once

#include <cstdint>

#include "machine/kernel/time.hpp"

namespace tess::machine {

/// What a message says. The texts must stay.
struct unit_place {
  char const* name = "";
  char const* file = "";
  std::uintptr_t loaded_at = 0;  ///< What is to be subtracted from an address to have that in the file.
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  bool has_tile = false;  ///< False: while the file is loaded.
  picoseconds period_ps = 1;
};

class unit_guard {
 public:
  /// Processor time that the code of a unit may take at once; it is noticed within twice as long.
  static constexpr int seconds_max = 3;

  unit_guard(unit_place const& of, picoseconds now) noexcept;
  unit_guard(unit_guard const&) = delete;
  unit_guard& operator=(unit_guard const&) = delete;
  ~unit_guard();

  unit_place const& place;  ///< For the handlers.
  picoseconds now;
  unit_guard* outer;
};

}  // namespace tess::machine
