// activity: what units were busy with, for a trace: each tells a log, if it has one, of everything that it has done.
//
// Units     picoseconds. An end may lie ahead of the kernel's time, if it is known already.
// Threads   one.
#pragma once

#include <cstdint>

#include "machine/kernel/time.hpp"

namespace tess::machine {

class activity_log {
 public:
  virtual ~activity_log() = default;
  /// `unit` and `what` stay: texts of the program's.
  virtual void busy(std::uint32_t tile, char const* unit, char const* what, picoseconds begin, picoseconds end) = 0;
};

/// Where a unit keeps its log.
struct activity_teller {
  activity_log* log = nullptr;  ///< Null: nobody wants to know.
  std::uint32_t tile = 0;

  void say(char const* unit, char const* what, picoseconds begin, picoseconds end) const {
    if (log != nullptr) log->busy(tile, unit, what, begin, end);
  }
};

}  // namespace tess::machine
