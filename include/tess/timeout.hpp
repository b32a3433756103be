// timeout: abandons an await: with_timeout after a while, with_stop when a std::stop_token requests it; and sleep_for.
//
//   `co_await with_timeout(x, 10ms)` is co_await x, but throws timed_out if x is not complete in time;
//   `co_await with_stop(x, token)` throws stopped once request_stop() was called, by any thread. Both can be nested. A
//   result that arrived in time is returned even if the task runs only later. The effect of giving up on x:
//
//   a counter: it keeps counting; the operations continue, and it may be awaited again.
//   a word, an `at`: it is abandoned. It takes effect later or already has; its late reply frees the slot. Tasks that
//     the call starts still count for the caller's finish.
//   a block without a counter: its memory is in use, so the destructor still waits for it; use a counter.
//   an event of this place (sync_var, queue, mutex, …): the task leaves the line of those that wait; nothing is taken
//     or put. One of another place: as an `at`; what it takes later is lost. One on a line of a simulated machine's
//     network interface: its wait is not given up.
//   a future: its task goes on, and it may be awaited again.
//   tree_barrier: it has arrived.
//   barrier(): it has begun, and the next barrier of this place (and team) continues it.
//   reductions: the team refuses further ones at this place.
//   yield(): the task had its turn.
//   a task: it is asked to stop, and awaited to its end. Its next co_await that parks, or its next yield(), throws
//     stopped, and so do all that follow. Tasks that it spawned are not asked: a finish in it waits for them. A task
//     that has not started does not start. when_all is such a task with a finish.
//
//   A task that ends although it was asked to stop gives its result. A loop over words that complete at once never
//   waits: let it yield() now and then.
//
// Units    std::chrono durations of the steady clock. A time-out is noticed when the worker polls next: after the
//          running tasks have yielded, and never early.
// Threads  any task. Await it in the expression that creates it: co_await with_timeout(…).
// Errors   timed_out and stopped are not tess::errors; from another place they arrive as remote_error.
// Cost     with_timeout: two clock readings and a timer in the frame. with_stop: a slot, a std::stop_callback.
// Source   cancel scopes: N. J. Smith, "Timeouts and cancellation for humans" (2018).
#pragma once

#include <concepts>
#include <optional>
#include <stdexcept>
#include <stop_token>

#include "tess/detail/durations.hpp"
#include "tess/detail/tasks/timer.hpp"
#include "tess/detail/tasks/wait.hpp"
#include "tess/finish.hpp"
#include "tess/task.hpp"

namespace tess {

/// An await was abandoned because a stop was requested, by a token or by an outer with_timeout.
class stopped : public std::runtime_error {
 public:
  stopped() : std::runtime_error("stopped: the await was given up because a stop was asked for") {}
};

/// An await took longer than its with_timeout allows.
class timed_out : public std::runtime_error {
 public:
  timed_out() : std::runtime_error("timed out: the await was given up") {}
};

namespace detail {

/// `duration` from now, or the latest time that the clock can represent.
template <class Rep, class Period>
time_point after_now(std::chrono::duration<Rep, Period> duration) noexcept {
  using std::chrono::steady_clock;
  auto const now = steady_clock::now();
  // In floating point: a duration in hours may not fit into nanoseconds.
  std::chrono::duration<double> const seconds = duration;
  if (seconds >= std::chrono::duration<double>(time_point::max() - now)) return time_point::max();
  return seconds.count() <= 0 ? now : now + std::chrono::duration_cast<steady_clock::duration>(duration);
}

/// Asks its scope to stop after a while.
class timeout_trigger : timer {
 public:
  explicit timeout_trigger(time_point until) noexcept {
    due = until;
    expire = [](timer& t) noexcept { request_stop(*static_cast<timeout_trigger&>(t).scope_, stop_cause::time); };
  }
  ~timeout_trigger() { end(); }
  timeout_trigger(timeout_trigger const&) = delete;
  timeout_trigger& operator=(timeout_trigger const&) = delete;

  [[nodiscard]] bool over() const noexcept { return due <= std::chrono::steady_clock::now(); }
  [[nodiscard]] stop_cause cause() const noexcept { return stop_cause::time; }
  void begin(stop_scope& scope) noexcept {
    scope_ = &scope;
    start_timer(*this);
  }
  void end() noexcept { cancel_timer(*this); }

 private:
  stop_scope* scope_ = nullptr;
};

/// A message from the thread that requests a stop to the worker of the task; may outlive the await.
struct stop_message : ready_node {
  stop_scope* scope = nullptr;  ///< null: the task no longer waits
  std::uint32_t worker = 0;
  bool sent = false;
  bool arrived = false;
};
[[nodiscard]] stop_message* make_stop_message(stop_scope& scope);
void send_stop_message(stop_message& m) noexcept;
/// The await is over, and the message will not be sent any more.
void drop_stop_message(stop_message* m) noexcept;

/// Asks its scope to stop when a token says so.
class token_trigger {
 public:
  explicit token_trigger(std::stop_token token) noexcept : token_(std::move(token)) {}
  ~token_trigger() { end(); }
  token_trigger(token_trigger const&) = delete;
  token_trigger& operator=(token_trigger const&) = delete;

  [[nodiscard]] bool over() const noexcept { return token_.stop_requested(); }
  [[nodiscard]] stop_cause cause() const noexcept { return stop_cause::request; }
  void begin(stop_scope& scope) {
    if (!token_.stop_possible()) return;
    message_ = make_stop_message(scope);
    callback_.emplace(token_, send{message_});
  }
  void end() noexcept {
    // After that, no callback can send.
    callback_.reset();
    if (message_ != nullptr) drop_stop_message(std::exchange(message_, nullptr));
  }

 private:
  struct send {
    stop_message* message;
    void operator()() const noexcept { send_stop_message(*message); }
  };
  std::stop_token token_;
  std::optional<std::stop_callback<send>> callback_;
  stop_message* message_ = nullptr;
};

template <class T>
inline constexpr bool is_finish = false;
template <class F>
inline constexpr bool is_finish<finish_call<F>> = true;

/// The awaiter of an awaitable: itself, or the result of its operator co_await.
template <class Awaitable>
decltype(auto) awaiter_of(Awaitable&& a) noexcept {
  if constexpr (requires { static_cast<Awaitable&&>(a).operator co_await(); })
    return static_cast<Awaitable&&>(a).operator co_await();
  else
    return static_cast<Awaitable&>(a);
}

template <class Awaitable, class Trigger>
class [[nodiscard("an await that may be given up is awaited where it is made"), gnu::warn_unused]] guarded_await {
  static_assert(!is_finish<std::remove_cvref_t<Awaitable>>,
                "a finish is always awaited to its end; put it in a task, or give its tasks a std::stop_token");

 public:
  template <class Condition>
  guarded_await(Awaitable&& a, Condition&& condition, std::source_location at)
      : trigger_(std::forward<Condition>(condition)),
        must_await_(lost_guarded, at),
        inner_(awaiter_of<Awaitable>(static_cast<Awaitable&&>(a))) {}
  guarded_await(guarded_await const&) = delete;
  guarded_await& operator=(guarded_await const&) = delete;
  ~guarded_await() { close(); }

  bool await_ready() {
    must_await_.met();
    if (inner_.await_ready()) return true;
    // What is done is not given up, only because other tasks have their turn first.
    if constexpr (requires { inner_.is_done(); })
      if (inner_.is_done()) return false;
    late_ = trigger_.over();
    return late_;
  }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) {
    trigger_.begin(scope_);
    task_ = &h.promise();
    scope_.open(*task_);
    return inner_.await_suspend(h);
  }
  decltype(auto) await_resume() {
    struct closing {
      guarded_await& g;
      ~closing() { g.close(); }
    } const c{*this};
    if (late_) end_late();
    try {
      return inner_.await_resume();
    } catch (stopped const&) {
      if (scope_.requested == stop_cause::time) throw timed_out();
      throw;
    }
  }

 private:
  void close() noexcept {
    if (task_ == nullptr) return;
    trigger_.end();
    scope_.close(*std::exchange(task_, nullptr));
  }
  [[noreturn]] void end_late() const {
    if (trigger_.cause() == stop_cause::time) throw timed_out();
    throw stopped();
  }

  stop_scope scope_;
  Trigger trigger_;
  [[no_unique_address]] must_await must_await_;
  decltype(awaiter_of<Awaitable>(std::declval<Awaitable&&>())) inner_;
  promise_base* task_ = nullptr;
  bool late_ = false;
};

inline constexpr wait_kind time_wait_kind{"time"};
inline constinit parked_wait time_wait{&time_wait_kind};

class [[nodiscard("a sleep begins at its co_await"), gnu::warn_unused]] sleep_awaiter : timer, stoppable_wait {
 public:
  sleep_awaiter(time_point until, std::source_location at) noexcept : must_await_(lost_sleep, at) { due = until; }
  ~sleep_awaiter() { cancel_timer(*this); }
  sleep_awaiter(sleep_awaiter const&) = delete;
  sleep_awaiter& operator=(sleep_awaiter const&) = delete;

  [[nodiscard]] bool await_ready() const noexcept {
    must_await_.met();
    return due <= std::chrono::steady_clock::now();
  }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
    if (!enter(h.promise())) return h;
    task_ = &h.promise();
    task_->waits_for = &time_wait;
    expire = [](timer& t) noexcept {
      promise_base* const p = static_cast<sleep_awaiter&>(t).task_;
      p->waits_for = nullptr;
      self->make_runnable(p);
    };
    start_timer(*this);
    return self->next();
  }
  void await_resume() { leave(); }

 private:
  friend class stoppable_wait;
  bool take_back() noexcept {
    if (owner == nullptr) return false;
    cancel_timer(*this);
    return true;
  }
  promise_base* task_ = nullptr;
  [[no_unique_address]] must_await must_await_;
};

}  // namespace detail

/// co_await x, but throws timed_out if x takes longer than `after`. Zero or less: one check, and no child starts.
template <class Awaitable, class Rep, class Period>
auto with_timeout(Awaitable&& x, std::chrono::duration<Rep, Period> after,
                  std::source_location at = std::source_location::current()) {
  return detail::guarded_await<Awaitable, detail::timeout_trigger>(std::forward<Awaitable>(x), detail::after_now(after),
                                                                   at);
}

/// Like co_await x, but throws stopped once a stop is requested.
template <class Awaitable>
auto with_stop(Awaitable&& x, std::stop_token token, std::source_location at = std::source_location::current()) {
  return detail::guarded_await<Awaitable, detail::token_trigger>(std::forward<Awaitable>(x), std::move(token), at);
}

/// Suspends the task for at least that long; its worker runs others.
template <class Rep, class Period>
[[nodiscard]] auto sleep_for(std::chrono::duration<Rep, Period> duration,
                             std::source_location at = std::source_location::current()) {
  return detail::sleep_awaiter(detail::after_now(duration), at);
}

}  // namespace tess
