// shared_object: how a shared object with handlers registers with the program that loads it.
//
//   Messages identify a handler by {object, index}; object 0 is the program. A shared object enters itself when it is
//   loaded, and gets its number when a job starts (src/runtime/messages/handler_objects.cpp).
//
// Threads  enter_object: any, one at a time (the loader's lock). The number changes only while no job runs.
// Errors   see handler_objects.cpp; an object loaded while the job runs has no number and cannot send.
#pragma once

#include <cstdint>

namespace tess::detail {

struct handler_record;
struct type_record;

struct shared_object {
  static constexpr std::uint16_t unnumbered = 0xffff;

  handler_record const* begin;
  handler_record const* end;
  type_record const* types_begin;
  type_record const* types_end;
  std::uint16_t number = unnumbered;
  shared_object* next = nullptr;  ///< the object entered before this one
};

/// Permanent: objects with handlers are never unloaded (they are linked with -z nodelete).
void enter_object(shared_object& object) noexcept;
/// Refuses an object loaded after the job began: messages cannot identify its handlers.
[[noreturn]] void refuse_late_object(shared_object const& object);

}  // namespace tess::detail
