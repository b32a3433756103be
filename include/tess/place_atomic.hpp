// place_atomic: a section that excludes the other place_atomic sections of its place; it must not suspend.
//
//   X10's and IMSuite's `atomic`. With one worker per place, no other task can run meanwhile, so it costs a branch.
//   The section must not call spawn(), at() or at_async(): other code of the place may run inside them. Sections
//   do not nest.
#pragma once

#include <utility>

#include "tess/detail/tasks/worker.hpp"
#include "tess/task.hpp"

namespace tess {

namespace detail {
void place_lock() noexcept;
void place_unlock() noexcept;
}  // namespace detail

/// Calls f while no other section of this place runs.
template <class F>
decltype(auto) place_atomic(F&& f) {
  static_assert(!detail::is_task<std::invoke_result_t<F>>, "place_atomic: the section must not suspend");
  // A check of races is about any number of workers.
  if (!TESS_RACES && detail::self->single) return std::forward<F>(f)();
  struct guard {
    guard() noexcept {
      if (!detail::self->single) detail::place_lock();
      detail::races::acquire(detail::self->segment);
    }
    ~guard() {
      detail::races::release(detail::self->segment);
      if (!detail::self->single) detail::place_unlock();
    }
  } const g;
  return std::forward<F>(f)();
}

}  // namespace tess
