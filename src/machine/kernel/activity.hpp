// activity: reports when units were busy, for a trace; a unit without a log reports nothing.
//
// Units     picoseconds. The end may lie in the future if it is already known.
// Threads   one.
#pragma once

#include <cstdint>

#include "machine/kernel/time.hpp"

namespace tess::machine {

class activity_log {
 public:
  virtual ~activity_log() = default;
  /// `unit` and `what` are string literals: they are kept, not copied.
  virtual void busy(std::uint32_t tile, char const* unit, char const* what, picoseconds begin, picoseconds end) = 0;
};

/// A unit's connection to the log.
struct activity_source {
  activity_log* log = nullptr;  ///< Null: no trace is taken.
  std::uint32_t tile = 0;

  void record(char const* unit, char const* what, picoseconds begin, picoseconds end) const {
    if (log != nullptr) log->busy(tile, unit, what, begin, end);
  }
};

}  // namespace tess::machine
