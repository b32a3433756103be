// task: the coroutine type. Lazy: starts when it is awaited, spawned or sent; one worker runs it to its end.
//
//   `co_await child()` runs the child as part of this task; spawn() (finish.hpp) runs it concurrently. A task kept in a
//   variable is awaited once, by `co_await std::move(t)`. Every co_await records its source location, so that the
//   stall report can say where each task waits.
//
// Threads  a started task never changes its worker.
// Errors   an exception leaves through the awaiting co_await, or through the enclosing finish.
// Cost     a frame from the worker's free list; a switch is a push, a pop and a jump. No system allocation.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "tess/detail/tasks/must_await.hpp"
#include "tess/detail/tasks/wait.hpp"
#include "tess/detail/tasks/worker.hpp"

namespace tess {

template <class T = void>
class task;

namespace detail {

/// The end of a spawned task with an exception, which goes to its finish. Separate from the common path.
[[nodiscard]] std::coroutine_handle<> end_failed(promise_base& p) noexcept;
/// Keeps the current exception for the task that awaits this one, and notes that it passed here.
void keep_exception(promise_base& task) noexcept;

[[nodiscard]] void* frame_allocate(std::size_t bytes);

/// The rest of the end of a task whose result several tasks wait for, or one of another worker.
[[nodiscard]] std::coroutine_handle<> end_and_tell(finish_scope& scope, future_waiter* last) noexcept;

template <class T>
struct task_promise;

/// `child` runs as a part of `parent`, which waits for it.
inline std::coroutine_handle<> start_child(promise_base& child, promise_base& parent) noexcept {
  child.continuation.set_outer(&parent);
  parent.callee = &child;
  child.scope = parent.scope;
  child.stops = parent.stops;
  races::continue_in(child, parent);
  self->current = &child;
  return handle_of(&child);
}

/// Checked builds keep where a task was made, until it is awaited or spawned.
inline void note_made(promise_base& task, std::source_location at) noexcept {
#if defined(TESS_CHECKED) && TESS_CHECKED
  task.made = at;
  if (self != nullptr && self->current != nullptr) task.maker = self->current->where;
#else
  static_cast<void>(task);
  static_cast<void>(at);
#endif
}
inline void note_handed_over(promise_base& task) noexcept {
#if defined(TESS_CHECKED) && TESS_CHECKED
  task.handed_over = true;
#else
  static_cast<void>(task);
#endif
}

/// Checked builds report the task with this line, instead of that of its function, if it is never awaited.
template <class T>
[[nodiscard]] task<T> made_at(task<T> t, std::source_location at) noexcept;

/// True if only an exception needs a destructor in the frame of an ended task.
template <class Promise>
inline constexpr bool nothing_to_destroy = false;
template <class T>
  requires(std::is_void_v<T> || std::is_trivially_destructible_v<T>)
inline constexpr bool nothing_to_destroy<task_promise<T>> = true;

/// Destroys the frame of a task that has ended without an exception.
template <bool Nothing>
[[gnu::always_inline]] inline void destroy_ended(promise_base& p) noexcept {
  if constexpr (Nothing)
    self->frames.release(handle_of(&p).address());
  else
    handle_of(&p).destroy();
}

/// The end of a task whose result nobody asks for.
template <bool Nothing>
[[gnu::noinline]] std::coroutine_handle<> end_spawned(promise_base& p) noexcept {
  worker& w = *self;
  finish_scope& scope = *p.scope;
  if (p.exception) [[unlikely]]
    return end_failed(p);
  races::strand* const strand = races::strand_of(p);
  destroy_ended<Nothing>(p);
  races::end(w, strand, scope.key());
  return w.after_task(scope);
}

/// The end of a task that async() started. As soon as others know of it, they may destroy the frame.
[[gnu::noinline]] inline std::coroutine_handle<> end_with_future(promise_base& p) noexcept {
  worker& w = *self;
  finish_scope& scope = *p.scope;
  races::strand* const strand = races::strand_of(p);
  // Reports show it no more.
  frame_pool::set_kind(handle_of(&p).address(), frame_pool::kind::raw);
  races::release(&p.continuation);
  task_continuation::outcome const ended =
      w.single ? p.continuation.end_task_alone(!w.turn_is_over()) : p.continuation.end_task();
  if (ended.is_dropped) [[unlikely]]
    return end_spawned<false>(p);
  races::end(w, strand, scope.key());
  future_waiter* const waiter = ended.last;
  if (waiter == nullptr) return w.after_task(scope);
  if (waiter->before == nullptr && waiter->notify == w.notify_id()) [[likely]]
    return w.after_task(scope, waiter->task);
  return end_and_tell(scope, waiter);
}

struct final_awaiter {
  static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  [[gnu::always_inline]] static std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
    promise_base& p = h.promise();
    auto const [is_shared, outer] = p.continuation.get();
    if (is_shared) return end_with_future(p);
    if (outer == nullptr) return end_spawned<nothing_to_destroy<Promise>>(p);
    outer->callee = nullptr;
    self->current = outer;
    return handle_of(outer);
  }
  static constexpr void await_resume() noexcept {}
};

struct yield_awaiter {
  static constexpr bool await_ready() noexcept { return false; }
  template <class Promise>
  [[gnu::always_inline]] static std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
    return self->give_way(&h.promise());
  }
  static constexpr void await_resume() noexcept {}
};

template <class Derived>
struct promise_common : promise_base {
  static void* operator new(std::size_t bytes) {
    constexpr std::size_t kept_bytes_max = 1008;  // a KiB with the block's header
    return allocate(bytes, bytes <= kept_bytes_max ? frame_pool::kind::task : frame_pool::kind::ending_task);
  }
  static void operator delete(void* frame) noexcept { self->frames.release(frame); }

  std::suspend_always initial_suspend() noexcept { return {}; }
  final_awaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { keep_exception(*this); }

  /// A yield does not park: a stop request is checked before it, where the promise is at hand.
  yield_awaiter await_transform(yield_awaiter a, std::source_location at = std::source_location::current()) {
    where = at;
    if (stops != nullptr) [[unlikely]]
      throw_if_stopped(*this);
    return a;
  }
  /// Every other co_await passes here: recording the source location costs one store, and only if the task may wait.
  template <class Awaitable>
  Awaitable&& await_transform(Awaitable&& a, std::source_location at = std::source_location::current()) noexcept {
    if constexpr (requires { a.await_ready_at_issue(); }) {
      if (TESS_RACES || !a.await_ready_at_issue()) where = at;
    } else {
      where = at;
    }
    return static_cast<Awaitable&&>(a);
  }

 protected:
  static void* allocate(std::size_t bytes, frame_pool::kind kind) {
    if (self == nullptr) [[unlikely]]
      return frame_allocate(bytes);
    return self->frames.allocate(bytes, kind);
  }
};

template <class T>
struct task_promise : promise_common<task_promise<T>> {
  static_assert(alignof(T) <= 16, "a task's result must not be aligned to more than 16 bytes");
  std::optional<T> result;

  task<T> get_return_object(std::source_location at = std::source_location::current()) noexcept;
  template <class U = T>
  void return_value(U&& value) {
    result.emplace(std::forward<U>(value));
  }
  T take() {
    if (this->exception) std::rethrow_exception(std::move(this->exception));
    return std::move(*result);
  }
};

template <>
struct task_promise<void> : promise_common<task_promise<void>> {
  task<void> get_return_object(std::source_location at = std::source_location::current()) noexcept;
  void return_void() noexcept {}
  void take() {
    if (exception) std::rethrow_exception(std::move(exception));
  }
};

/// For functions with parameters that have destructors: these run when the task ends, whoever keeps its result.
template <class T>
struct task_promise_of_parameters : task_promise<T> {
  static void* operator new(std::size_t bytes) {
    return promise_common<task_promise<T>>::allocate(bytes, frame_pool::kind::ending_task);
  }
};

/// True if a frame with these parameters may be kept when its task has ended.
template <class... Parameters>
inline constexpr bool need_no_destructor =
    ((std::is_reference_v<Parameters> || std::is_trivially_destructible_v<Parameters>) && ...);

}  // namespace detail

/// A coroutine that yields a T. Owns the frame until it is awaited or handed to spawn().
template <class T>
class [[nodiscard("a task does nothing until it is awaited or spawned"), gnu::warn_unused]] task {
 public:
  using promise_type = detail::task_promise<T>;
  using value_type = T;

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~task() {
    if (!handle_) return;
#if defined(TESS_CHECKED) && TESS_CHECKED
    if (detail::promise_base const& p = handle_.promise(); !p.handed_over) detail::report_unstarted(p.made, p.maker);
#endif
    handle_.destroy();
  }

  /// Runs the task as part of the awaiting one and gives its result or exception.
  auto operator co_await() && noexcept {
    if (handle_) detail::note_handed_over(handle_.promise());
    return awaiter{handle_};
  }

  /// Passes ownership of the frame to the scheduler.
  detail::promise_base* release() noexcept {
    detail::promise_base& p = std::exchange(handle_, nullptr).promise();
    detail::note_handed_over(p);
    return &p;
  }
  /// After release(), and what followed it: the compiler need not look whether there is something to destroy.
  void assume_released() const noexcept {
    if (handle_ != nullptr) std::unreachable();
  }
  /// True if the frame is not large and may outlive the task.
  [[nodiscard]] bool frame_may_stay() const noexcept {
    return detail::frame_pool::kind_of(handle_.address()) == detail::frame_pool::kind::task;
  }

 private:
  friend promise_type;
  template <class U>
  friend task<U> detail::made_at(task<U> t, std::source_location at) noexcept;
  explicit task(std::coroutine_handle<promise_type> h) noexcept : handle_(h) {}

  struct awaiter {
    std::coroutine_handle<promise_type> child;
    static constexpr bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) noexcept {
      return detail::start_child(child.promise(), parent.promise());
    }
    T await_resume() { return child.promise().take(); }
  };

  std::coroutine_handle<promise_type> handle_;
};

namespace detail {
template <class T>
task<T> task_promise<T>::get_return_object(std::source_location at) noexcept {
  note_made(*this, at);
  return task<T>{std::coroutine_handle<task_promise>::from_promise(*this)};
}
inline task<void> task_promise<void>::get_return_object(std::source_location at) noexcept {
  note_made(*this, at);
  return task<void>{std::coroutine_handle<task_promise>::from_promise(*this)};
}

template <class T>
task<T> made_at(task<T> t, std::source_location at) noexcept {
  note_made(t.handle_.promise(), at);
  return t;
}

/// True for tasks of any result type.
template <class X>
struct task_traits {
  static constexpr bool is_task = false;
  using result = X;
};
template <class T>
struct task_traits<task<T>> {
  static constexpr bool is_task = true;
  using result = T;
};
template <class X>
inline constexpr bool is_task = task_traits<std::remove_cvref_t<X>>::is_task;

}  // namespace detail

/// Lets the other runnable tasks of this worker run first.
[[nodiscard]] inline detail::yield_awaiter yield() noexcept {
  return {};
}

}  // namespace tess

/// The promise of a coroutine that returns a task depends on whether its parameters have destructors.
template <class T, class... Parameters>
struct std::coroutine_traits<tess::task<T>, Parameters...> {
  using promise_type = std::conditional_t<tess::detail::need_no_destructor<Parameters...>,
                                          tess::detail::task_promise<T>, tess::detail::task_promise_of_parameters<T>>;
};
