// wait: the common part of all awaits that park their task: a time-out or a stop token can take them back.
//
//   with_timeout and with_stop (tess/timeout.hpp) put a stop_scope around an await. A task finds its innermost scope in
//   its promise; tasks that it awaits inherit the scope, those that it spawns do not. A wait that parks registers
//   with the scope first, so that the scope can take the task out of where it waits and make it runnable. The wait then
//   throws `stopped`, which with_timeout turns into `timed_out` if it was the cause.
//
//   An awaiter that parks implements this in five lines:
//
//     struct my_wait : stoppable_wait {
//       std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) {
//         if (!enter(h.promise())) return h;         // 1, 2: asked to stop already: await_resume throws
//         …                                          // record where the task waits
//         return self->next();
//       }
//       auto await_resume() { leave(); … }           // 3: throws `stopped` if the wait was taken back
//       bool take_back() noexcept { … }              // 4, 5: forget the task; false: its wake-up is under way already
//     };
//
//   take_back runs on the task's worker, between two tasks, and only while the task is parked. If other threads can
//   wake the task, take_back must determine which of them was first, as completion::disarm() does.
//
//   A wait that is ended by something other than the fabric defines what a failed place does to it (wait_kind): it is
//   given up and throws place_failed, as do all such waits that begin later (src/runtime/failures/failed_places.cpp).
//
// Threads  the worker of the task; giving up: one thread while all others are stopped.
// Cost     one load and a predictable branch for each wait that parks, and one after it; 1 byte in the awaiter.
#pragma once

#include <cstdint>

#include "tess/detail/tasks/worker.hpp"

namespace tess::detail {

enum class stop_cause : std::uint8_t { none, time, request };

struct parked_wait;

/// What a parked task waits for, and what happens to the wait when a place fails.
struct wait_kind {
  char const* what;
  /// Takes the task out of its wait and makes it runnable, unless that has happened. Null: the wait always ends.
  void (*give_up)(parked_wait&, promise_base&) noexcept = nullptr;
  /// Any place may be the one that should end it: after a failure the wait does not begin.
  bool on_any_place = false;
  /// The object that one task at a time holds and this one waits for, for the stall report; null: it waits for another
  /// thing.
  void const* (*held_object)(parked_wait const&) noexcept = nullptr;
};
/// The object to which promise_base::waits_for points.
struct parked_wait {
  wait_kind const* kind;
};

/// Throws place_failed, for this place or for the one that failed last.
[[noreturn]] void throw_place_failed(place_id place);
[[noreturn]] void throw_place_failed();
[[nodiscard]] inline bool has_failed(place_id place) noexcept {
  return job.failed != nullptr && job.failed[place];
}

class stoppable_wait;
using take_back_function = bool (*)(stoppable_wait&) noexcept;

/// Around one await of one task. The scopes of a task and of those that it awaits form a chain.
struct stop_scope {
  stop_scope* outer = nullptr;
  stop_scope* inner = nullptr;
  stop_cause requested = stop_cause::none;
  // Set by the innermost scope while a task below it is parked and may be taken back:
  stoppable_wait* wait = nullptr;
  take_back_function take_back = nullptr;
  promise_base* parked = nullptr;

  void open(promise_base& task) noexcept {
    outer = task.stops;
    if (outer != nullptr) outer->inner = this;
    task.stops = this;
  }
  void close(promise_base& task) noexcept {
    if (outer != nullptr) outer->inner = nullptr;
    task.stops = outer;
  }
  /// True if a stop is requested here or in an outer scope.
  [[nodiscard]] bool any_requested() const noexcept {
    for (stop_scope const* s = this; s != nullptr; s = s->outer)
      if (s->requested != stop_cause::none) return true;
    return false;
  }
};

/// Requests a stop of everything below the scope; on the worker of its task.
void request_stop(stop_scope& scope, stop_cause cause) noexcept;
[[noreturn]] void throw_stopped();
/// Only for a task with a scope.
void throw_if_stopped(promise_base const& task);

class stoppable_wait {
 public:
  /// Call before parking. False: a stop is requested; do not park.
  template <class Wait>
  [[nodiscard, gnu::always_inline]] bool enter(this Wait& wait, promise_base& task) noexcept {
    if (task.stops == nullptr) [[likely]]
      return true;
    return wait.stoppable_wait::enter_scope(
        task, [](stoppable_wait& w) noexcept { return static_cast<Wait&>(w).take_back(); });
  }
  /// Call after the wait. Throws if the wait was taken back.
  [[gnu::always_inline]] void leave() {
    if (self->current->stops != nullptr) [[unlikely]]
      leave_scope();
  }
  /// True if the wait was taken back, or never began.
  [[nodiscard]] bool given_up() const noexcept { return given_up_; }

 private:
  friend void request_stop(stop_scope&, stop_cause) noexcept;
  bool enter_scope(promise_base& task, take_back_function take_back) noexcept;
  void leave_scope();

  bool given_up_ = false;
};

}  // namespace tess::detail
