// handling: one call of a message's handler, as a strand of its own (src/runtime/races/strand.hpp); otherwise nothing.
#pragma once

#include "tess/detail/tasks/scope.hpp"
#include "tess/detail/tasks/worker.hpp"

namespace tess::detail::races {

class handling {
 public:
#if TESS_RACES
  /// What follows comes after what was done before the message was sent. At its end everything is released to the
  /// finish, unless `scope` is null.
  handling(worker& w, message_clock sent, finish_scope const* scope) noexcept;
  ~handling();

 private:
  worker& worker_;
  finish_scope const* scope_;
  promise_base* outer_;
  finish_scope* outer_scope_;
  strand* outer_strand_;
#else
  handling(worker&, message_clock, finish_scope const*) noexcept {}
  // Not trivial, so that a variable of it counts as used.
  ~handling() {}  // NOLINT
#endif

 public:
  handling(handling const&) = delete;
  handling& operator=(handling const&) = delete;
};

}  // namespace tess::detail::races
