// future: the result of a concurrent task; any number of tasks may await it for the value or the exception.
//
//   `auto f = async(work(3));` spawns the task under the caller's finish; `co_await f` waits for it. Futures are copied
//   freely within their place; all copies refer to the same result, which lives as long as one of them. To use a result
//   at another place, let the task write a sync_var.
//
// Threads  any task of the place. Waiting tasks resume in the order in which they began to wait.
// Errors   every co_await rethrows the task's exception.
//          If no future is left when the task fails,
//          its exception goes to the finish.
// Cost     the task's frame, which the result keeps; no message. If the place has several workers: one locked
//          instruction for each task, and two for each wait. A ready future: a few instructions. A waiting task costs
//          its frame.
//          Parameters with destructors, and frames of more than 1 KiB, end with the task: then a small frame around it
//          keeps the result.
// Source   Halstead, "Multilisp" (TOPLAS 1985).
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "tess/detail/tasks/task_continuation.hpp"
#include "tess/finish.hpp"
#include "tess/task.hpp"

namespace tess {

namespace detail {

/// The task ends even if other places fail.
inline constexpr wait_kind future_wait{"future"};

struct relay_promise;

/// An await of a future, whatever its type.
class future_await : public parked_wait, public future_waiter, public stoppable_wait {
 public:
  [[gnu::always_inline]] bool await_ready() noexcept {
    // Other tasks have their turn now and then.
    return result_.continuation.has_ended() && !self->count_event();
  }
  [[nodiscard]] bool is_done() const noexcept { return result_.continuation.has_ended(); }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
    return suspend(h.promise());
  }

 protected:
  future_await(promise_base& result, bool temporary) noexcept : result_(result) { shares = temporary ? is_future : 0; }
  future_await(future_await const&) = delete;
  future_await& operator=(future_await const&) = delete;
  ~future_await() {
    if (shares != 0) give_back();
  }

  promise_base& result_;

 private:
  friend class stoppable_wait;
  friend struct relay_promise;
  /// An await that may be given up has a relay, which waits in its place.
  [[nodiscard]] std::coroutine_handle<> suspend_stoppable(promise_base& p) noexcept;
  bool take_back() noexcept;

  [[gnu::noinline]] std::coroutine_handle<> suspend(promise_base& p) noexcept {
    if (p.stops != nullptr) [[unlikely]]
      return suspend_stoppable(p);
    return park(p);
  }
  std::coroutine_handle<> park(promise_base& p) noexcept {
    worker& w = *self;
    kind = &future_wait;
    task = &p;
    notify = w.notify_id();
    shares |= is_reader;
    p.waits_for = this;
    if (!result_.continuation.wait(*this, w.single)) [[unlikely]]
      return has_ended(p);
    return w.next_after_look();
  }
  /// The task ended meanwhile; others have their turn first.
  std::coroutine_handle<> has_ended(promise_base& p) noexcept {
    worker& w = *self;
    p.waits_for = nullptr;
    if ((shares & is_future) == 0) result_.continuation.add_future(w.single);
    shares = is_future;
    return w.give_way(&p);
  }
  [[gnu::noinline]] void give_back() noexcept {
    bool last = (shares & is_reader) != 0 && result_.continuation.end_reading(self->single);
    if ((shares & is_future) != 0) last = result_.continuation.drop_future();
    if (last) handle_of(&result_).destroy();
  }

  relay_promise* relay_ = nullptr;  ///< null: none, or it has ended
};

/// Destroys the task's frame, and with it its parameters, when it ends.
template <class T>
task<T> end_frame_of(task<T> work) {
  task<T> ends_here = std::move(work);
  co_return co_await std::move(ends_here);
}

}  // namespace detail

template <class T>
class future;

/// Starts `work` concurrent with the caller, under the caller's innermost finish.
template <class T>
[[nodiscard("a future is awaited; spawn() starts a task without one")]] future<T> async(task<T> work);

template <class T>
class [[gnu::warn_unused]] future {
 public:
  future(future const& other) noexcept : task_(other.task_) {
    if (task_ != nullptr) task_->continuation.add_future(detail::self->single);
  }
  future(future&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  future& operator=(future other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~future() {
    if (task_ == nullptr) return;
    if (task_->continuation.is_left_alone()) [[likely]]
      detail::destroy_ended<detail::nothing_to_destroy<detail::task_promise<T>>>(*task_);
    else if (task_->continuation.drop_future())
      detail::handle_of(task_).destroy();
  }

  /// True if the task has ended.
  [[nodiscard]] bool ready() const noexcept {
    if (!task_->continuation.has_ended()) return false;
    detail::races::acquire(&task_->continuation);
    return true;
  }

  /// Gives a reference to the value, valid as long as a copy of the future lives; for a temporary future, the value.
  auto operator co_await() const& noexcept { return awaiter<false>(*task_); }
  auto operator co_await() && noexcept { return awaiter<true>(*std::exchange(task_, nullptr)); }

 private:
  template <class U>
  friend future<U> async(task<U> work);

  /// Keeps the result until it has been taken: a temporary's anyway, another one's while the task is parked.
  template <bool Temporary>
  class [[nodiscard]] awaiter : public detail::future_await {
   public:
    explicit awaiter(detail::promise_base& result) noexcept : future_await(result, Temporary) {}
    std::conditional_t<std::is_void_v<T> || Temporary, T, std::add_lvalue_reference_t<T const>> await_resume() {
      this->leave();
      auto const& p = static_cast<detail::task_promise<T> const&>(this->result_);
      detail::races::acquire(&p.continuation);
      if (p.exception) [[unlikely]]
        std::rethrow_exception(p.exception);
      if constexpr (!std::is_void_v<T>) return *p.result;
    }
  };

  explicit future(detail::promise_base& task) noexcept : task_(&task) {}

  detail::promise_base* task_;
};

template <class T>
[[gnu::always_inline]] inline future<T> async(task<T> work) {
  if (!work.frame_may_stay()) [[unlikely]]
    work = detail::end_frame_of(std::move(work));
  detail::promise_base& p = *work.release();
  p.continuation.share();
  detail::spawn_promise(*detail::self, &p, TESS_RACES_CALLER);
  work.assume_released();
  return future<T>(p);
}
/// The same for what is a task only if it has to wait, as barrier().
template <class Call>
  requires(detail::is_task<Call> && !std::is_same_v<Call, task<typename Call::value_type>>)
[[nodiscard("a future is awaited; spawn() starts a task without one")]] future<typename Call::value_type> async(
    Call&& work) {
  return async(static_cast<task<typename Call::value_type>>(std::move(work)));
}

}  // namespace tess
