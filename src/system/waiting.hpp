// waiting: tasks that wait for one of several things.
#pragma once

#include "system/tasks.hpp"

namespace tess::system::waiting {

/// Something has changed for which tasks may wait.
void changed();
/// Stops the own task until changed(). Interrupts must be off.
void for_change();

}  // namespace tess::system::waiting
