// instruction_observer: sees each instruction of a hart before it is executed, as a debugger does.
#pragma once

#include "machine/hart/hart.hpp"

namespace tess::machine {

class instruction_observer {
 public:
  virtual ~instruction_observer() = default;
  /// The instruction at i->pc() is about to be executed. The hart's registers may be changed, and its pc set to this
  /// one. False: the hart stops, as at the end of a quantum, and goes on at its pc. Must not throw.
  virtual bool begin(hart& h, inst const* i) noexcept = 0;
};

}  // namespace tess::machine
