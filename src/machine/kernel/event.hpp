// event: something that happens once at a time, as a member of whoever waits for it.
//
// Threads   one.
#pragma once

#include "machine/kernel/time.hpp"

namespace tess::machine {

/// Its owner keeps it alive and in place until it has happened. It may be put into the calendar again from then on.
struct event {
  using handler = void (*)(event&);

  explicit event(handler happens_) noexcept : happens(happens_) {}
  event(event const&) = delete;
  event& operator=(event const&) = delete;

  handler happens;
  picoseconds due = 0;
  event* next = nullptr;  ///< In its slot of the calendar, which owns this while the event waits there.
};

}  // namespace tess::machine
