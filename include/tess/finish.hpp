// finish: spawns tasks and waits for all of them, at all places; the first exception is rethrown.
//
//   `co_await finish(body)` runs body and ends when every task spawned under it has ended, transitively, on all
//   places. spawn() and at_async() count for the innermost finish of the caller. A finish that stays at its place
//   sends no message (docs/internals/contract.md, 7; the counting is in src/runtime/finish/finish.cpp).
//
// Threads  any task. Unstarted tasks may be stolen by other workers of the place.
// Errors   co_await rethrows the first exception that reached the finish, after all have ended; others are dropped.
//          place_failed if a place failed while other places had tasks of it; the remaining ones have ended by then.
// Cost     spawn: a frame, a push, two additions. A worker with more than 1,024 unstarted tasks runs the newest 32
//          inside spawn(): do not call it while an invariant is broken.
#pragma once

#include <coroutine>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>

#include "tess/task.hpp"

namespace tess {

namespace detail {

struct remote_counts;

/// The wait for a finish.
extern wait_kind const finish_wait;

/// The finish itself, in the frame of the task that waits for it.
class finish_home : public finish_scope, public parked_wait {
 public:
  finish_home() noexcept : finish_scope(scope_kind::home, 0, false), parked_wait{&finish_wait} {}
  ~finish_home() {
    if (remote_ != nullptr) [[unlikely]]
      delete_remote();
  }

  /// The body counts as one task.
  void open(worker const& w, promise_base& waiter) noexcept {
    // Without messages and thieves nobody asks for its key.
    if constexpr (TESS_RACES) name_it();
    set_waiter(waiter, w.notify_id());
    set_objects_scope(waiter.scope->objects_scope());
    add(1);
  }
  void rethrow() {
    if (first_) [[unlikely]]
      std::rethrow_exception(std::move(first_));
  }

 private:
  friend class finish_accounting;
  void delete_remote() noexcept;
  void name_it() noexcept;

  remote_counts* remote_ = nullptr;  ///< made when a task of this finish first leaves the place
  std::exception_ptr first_;         ///< the first exception
};

/// Queues a spawned task when there is more to do than that.
void push_unstarted(worker& w, promise_base* p);

[[gnu::always_inline]] inline void spawn_promise(worker& w, promise_base* p, void const* made_at) {
  finish_scope* const scope = w.current->scope;
  p->scope = scope;
  races::begin(*p, made_at);
  w.credit.add(*scope);
  w.not_alone();
  if (!w.unstarted.push_private(p)) [[unlikely]]
    push_unstarted(w, p);
}

/// Gives a task to a scope that counts it already.
inline promise_base* release_into(finish_scope* scope, task<void> t) noexcept {
  promise_base* const p = t.release();
  p->scope = scope;
  races::begin(*p, nullptr);
  return p;
}

/// Keeps a callable and its arguments alive while the coroutine that it made is suspended.
template <class F, class... Args>
task<void> hold(F f, Args... args) {
  if constexpr (is_task<std::invoke_result_t<F&, Args...>>)
    static_cast<void>(co_await f(std::move(args)...));
  else
    f(std::move(args)...);
  co_return;
}

template <class Result>
consteval void check_finish_body() {
  if constexpr (is_task<Result>)
    static_assert(std::is_void_v<typename Result::value_type>,
                  "tess: finish drops what its body returns: let the body be a task<void> that stores its result in a "
                  "variable of the caller, or use async, whose future has the result");
}

template <class F>
class [[nodiscard("finish waits at its co_await"), gnu::warn_unused]] finish_call {
 public:
  finish_call(F body, std::source_location at) : body_(std::move(body)), must_await_(lost_finish, at) {}

  static constexpr bool await_ready() noexcept { return false; }

  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) {
    must_await_.met();
    promise_base& p = h.promise();
    worker& w = *self;
    home_.open(w, p);
    p.waits_for = &home_;
    if constexpr (is_task<std::invoke_result_t<F&>>) {
      promise_base* body;
      try {
        body = body_().release();
      } catch (...) {
        return end_body(w, p, std::current_exception());
      }
      body->scope = &home_;
      body->stops = p.stops;
      races::begin(*body, TESS_RACES_CALLER);
      w.current = body;
      return handle_of(body);
    } else {
      finish_scope* const outer = std::exchange(p.scope, &home_);
      std::exception_ptr thrown;
      try {
        body_();
      } catch (...) {
        thrown = std::current_exception();
      }
      p.scope = outer;
      return end_body(w, p, std::move(thrown));
    }
  }

  void await_resume() {
    races::acquire(home_.key());
    home_.rethrow();
  }

 private:
  std::coroutine_handle<> end_body(worker& w, promise_base&, std::exception_ptr thrown) noexcept {
    if (thrown) home_.fail(std::move(thrown));
    return w.after_task(home_);
  }

  finish_home home_;
  F body_;
  [[no_unique_address]] must_await must_await_;
};

}  // namespace detail

/// Starts a task concurrent with the caller, under the caller's innermost finish.
inline void spawn(task<void> t) {
  detail::spawn_promise(*detail::self, t.release(), TESS_RACES_CALLER);
}

/// The same with a callable: its captures and arguments are moved into the runtime's frame. Spawn the lambda, not the
/// task that it makes: after spawn([n]() -> task<> {…}()) the captures are destroyed with the lambda.
template <class F, class... Args>
  requires std::invocable<F&, Args...> && (!detail::is_task<F>)
void spawn(F f, Args... args) {
  detail::spawn_promise(*detail::self, detail::hold<F, Args...>(std::move(f), std::move(args)...).release(),
                        TESS_RACES_CALLER);
}

/// Runs `body` (a plain callable or one that returns task<>) and waits for everything that it spawns, at all places.
template <class F>
  requires std::invocable<F&>
auto finish(F body, std::source_location at = std::source_location::current()) {
  detail::check_finish_body<std::invoke_result_t<F&>>();
  return detail::finish_call<F>(std::move(body), at);
}

}  // namespace tess
