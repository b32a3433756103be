// event: something that will happen at a time; a member of the object that waits for it. Pending at most once at a
// time.
//
// Threads   one.
#pragma once

#include "machine/kernel/time.hpp"

namespace tess::machine {

/// The owner keeps it alive and in place until it has happened. It may be scheduled again from then on.
struct event {
  using handler = void (*)(event&);

  explicit event(handler happens_) noexcept : happens(happens_) {}
  event(event const&) = delete;
  event& operator=(event const&) = delete;

  handler happens;
  picoseconds due = 0;
  event* next = nullptr;  ///< In its slot of the calendar, which owns this field while the event is pending.
  /// Lower ranks happen first among events of equal time. Devices have rank 0, each hart has one of its own.
  std::uint32_t rank = 0;
  static constexpr std::uint32_t after_harts = ~std::uint32_t{0};  ///< A rank.
  /// Where it happens: the kernel sets it for devices; each hart has its own.
  std::uint32_t site = 0;
};

}  // namespace tess::machine
