// process: a device as a coroutine, and `task`, a coroutine that a process awaits as a subroutine.
//
//     process producer(kernel& k, port<int>& out) {
//       for (int i = 0; i < 10; ++i) {
//         co_await k.delay(2 * period);
//         co_await out.push(i);
//       }
//     }
//     k.start(producer(k, out));
//
// Errors    an exception that leaves a process leaves kernel::run(); one that leaves a task is rethrown by its
//           co_await.
// Cost      a frame from the pool; a task's call and return are jumps (symmetric transfer).
// Threads   one.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "machine/kernel/event.hpp"
#include "machine/kernel/process_pool.hpp"

namespace tess::machine {

/// A link in the kernel's list of processes.
struct process_link {
  process_link* previous = nullptr;
  process_link* next = nullptr;
};

/// Suspended until kernel::start(), which takes ownership. Destroys its frame at its end.
class [[nodiscard]] process {
 public:
  struct promise_type : pooled_process, process_link, event {
    promise_type() noexcept : event(begin) {}
    ~promise_type() {
      if (process_link::previous != nullptr) process_link::previous->next = process_link::next;
      if (process_link::next != nullptr) process_link::next->previous = process_link::previous;
    }
    promise_type(promise_type const&) = delete;
    promise_type& operator=(promise_type const&) = delete;

    process get_return_object() noexcept { return process{handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    [[noreturn]] void unhandled_exception() { throw; }

   private:
    static void begin(event& self) { handle::from_promise(static_cast<promise_type&>(self)).resume(); }
  };
  using handle = std::coroutine_handle<promise_type>;

  process(process&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  process& operator=(process&&) = delete;
  ~process() {
    if (handle_) handle_.destroy();
  }

 private:
  friend class kernel;
  explicit process(handle owned) noexcept : handle_(owned) {}
  handle handle_;
};

namespace detail {
struct task_promise_base : pooled_process {
  struct final_awaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
      return ended.promise().caller;
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() noexcept { return {}; }
  final_awaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }

  std::coroutine_handle<> caller;
  std::exception_ptr failure;
};
template <class T>
struct task_promise : task_promise_base {
  template <class U>
  void return_value(U&& given) {
    value.emplace(std::forward<U>(given));
  }
  T result() { return std::move(*value); }
  std::optional<T> value;
};
template <>
struct task_promise<void> : task_promise_base {
  void return_void() noexcept {}
  void result() noexcept {}
};
}  // namespace detail

/// Runs when awaited; once.
template <class T = void>
class [[nodiscard]] task {
 public:
  struct promise_type : detail::task_promise<T> {
    task get_return_object() noexcept { return task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
  };

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  task& operator=(task&&) = delete;
  ~task() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().caller = caller;
    return handle_;
  }
  T await_resume() {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
    return handle_.promise().result();
  }

 private:
  explicit task(std::coroutine_handle<promise_type> owned) noexcept : handle_(owned) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace tess::machine
