// unit_process: what a unit does, as coroutines: a `process` runs beside others, a `task` is awaited as a subroutine, a
// `queue` joins two processes.
//
//     tess::unit::process producer(tess::unit::tile& here, tess::unit::queue<int>& out) {
//       for (int i = 0; i < 10; ++i) {
//         co_await here.clock.delay(2);
//         co_await out.push(i);
//       }
//     }
//     here.start(producer(here, out));
//
// Errors    an exception that leaves a process ends the run; one that leaves a task is rethrown by its co_await.
// Cost      a frame from operator new; a task's call and return are jumps.
// Threads   one.
#pragma once

#include <coroutine>
#include <deque>
#include <exception>
#include <optional>
#include <tess/machine/unit_interface.hpp>
#include <utility>

namespace tess::unit {

class process;
template <class T>
class task;

namespace detail {
/// What the coroutine of a process has: its place in the list of a unit's processes, and how the simulator begins it.
struct process_promise final : completion {
  process_promise() = default;
  process_promise(process_promise const&) = delete;
  process_promise& operator=(process_promise const&) = delete;
  ~process_promise() {
    if (before != nullptr) *before = after;
    if (after != nullptr) after->before = before;
  }
  using handle = std::coroutine_handle<process_promise>;
  process get_return_object() noexcept;
  std::suspend_always initial_suspend() noexcept { return {}; }
  /// Destroys the frame, and says what left it.
  struct final_awaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(handle ended) const noexcept {
      std::exception_ptr const failure = std::move(ended.promise().failure);
      host& machine = *ended.promise().machine;
      ended.destroy();
      if (failure) machine.failed(failure);
    }
    void await_resume() const noexcept {}
  };
  final_awaiter final_suspend() noexcept { return {}; }
  void return_void() noexcept {}
  void unhandled_exception() noexcept { failure = std::current_exception(); }
  void happened(outcome) override { handle::from_promise(*this).resume(); }

  host* machine = nullptr;
  std::exception_ptr failure;
  process_promise** before = nullptr;
  process_promise* after = nullptr;
};

struct task_promise_base {
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
  task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& given) {
    value.emplace(std::forward<U>(given));
  }
  T result() { return std::move(*value); }
  std::optional<T> value;
};
template <>
struct task_promise<void> : task_promise_base {
  task<void> get_return_object() noexcept;
  void return_void() noexcept {}
  void result() noexcept {}
};
}  // namespace detail

/// Suspended until tile::start(), which takes ownership. Its frame is destroyed at its end, or with the unit.
class [[nodiscard]] process {
 public:
  /// For the compiler.
  using promise_type = detail::process_promise;

  process(process&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  process& operator=(process&&) = delete;
  ~process() {
    if (handle_) handle_.destroy();
  }
  /// The caller owns it from now on.
  [[nodiscard]] detail::process_promise& release() noexcept { return std::exchange(handle_, nullptr).promise(); }

 private:
  friend detail::process_promise;
  explicit process(detail::process_promise::handle owned) noexcept : handle_(owned) {}
  detail::process_promise::handle handle_;
};

/// Runs when awaited; once.
template <class T = void>
class [[nodiscard]] task {
 public:
  /// For the compiler.
  using promise_type = detail::task_promise<T>;

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
  friend promise_type;
  explicit task(std::coroutine_handle<promise_type> owned) noexcept : handle_(owned) {}
  std::coroutine_handle<promise_type> handle_;
};

namespace detail {
inline process process_promise::get_return_object() noexcept {
  return process{handle::from_promise(*this)};
}
template <class T>
task<T> task_promise<T>::get_return_object() noexcept {
  return task<T>{std::coroutine_handle<task_promise>::from_promise(*this)};
}
inline task<void> task_promise<void>::get_return_object() noexcept {
  return task<void>{std::coroutine_handle<task_promise>::from_promise(*this)};
}
}  // namespace detail

/// A request to the simulator. co_await: true when it is done, false if it was wrong. Begin: called with what is to
/// be told of its end.
template <class Begin>
class [[nodiscard]] request final : completion {
 public:
  explicit request(Begin begin) : begin_(std::move(begin)) {}
  request(request const&) = delete;
  request& operator=(request const&) = delete;
  ~request() = default;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    begin_(static_cast<completion&>(*this));
  }
  bool await_resume() const noexcept { return how_ == outcome::done; }

 private:
  void happened(outcome how) override {
    how_ = how;
    waiting_.resume();
  }
  Begin begin_;
  std::coroutine_handle<> waiting_;
  outcome how_ = outcome::wrong;
};

/// A bounded channel between processes of a unit: a push to a full one waits, and so does a pop from an empty one.
/// Waiters are served in order, and go on at the same time, after what is already pending for it.
template <class T>
class queue {
 public:
  queue(host& machine, std::size_t capacity) : machine_(machine), capacity_(capacity) {}
  queue(queue const&) = delete;
  queue& operator=(queue const&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  /// A push would wait.
  [[nodiscard]] bool full() const noexcept { return values_.size() >= capacity_; }

  /// Without waiting; false: it is full, or others wait.
  [[nodiscard]] bool try_push(T value) {
    if (full() || !pushers_.empty()) return false;
    add(std::move(value));
    return true;
  }

  /// Awaited by push().
  class [[nodiscard]] pusher final : completion {
   public:
    pusher(queue& to, T value) : to_(to), value_(std::move(value)) {}
    pusher(pusher const&) = delete;
    pusher& operator=(pusher const&) = delete;
    ~pusher() = default;
    [[nodiscard]] bool await_ready() {
      if (to_.full() || !to_.pushers_.empty()) return false;
      to_.add(std::move(value_));
      return true;
    }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      to_.pushers_.push_back(this);
    }
    void await_resume() const noexcept {}

   private:
    friend queue;
    void happened(outcome) override { waiting_.resume(); }
    queue& to_;
    T value_;
    std::coroutine_handle<> waiting_;
  };
  /// Awaited by pop().
  class [[nodiscard]] popper final : completion {
   public:
    explicit popper(queue& from) : from_(from) {}
    popper(popper const&) = delete;
    popper& operator=(popper const&) = delete;
    ~popper() = default;
    [[nodiscard]] bool await_ready() {
      if (from_.empty() || !from_.poppers_.empty()) return false;
      value_ = from_.remove();
      return true;
    }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      from_.poppers_.push_back(this);
    }
    T await_resume() { return std::move(*value_); }

   private:
    friend queue;
    void happened(outcome) override { waiting_.resume(); }
    queue& from_;
    std::optional<T> value_;
    std::coroutine_handle<> waiting_;
  };

  /// co_await: completes when the value is in the queue.
  pusher push(T value) { return {*this, std::move(value)}; }
  /// co_await: the oldest value.
  popper pop() { return popper{*this}; }

 private:
  void add(T value) {
    if (poppers_.empty()) return values_.push_back(std::move(value));
    popper& first = *poppers_.front();
    poppers_.pop_front();
    first.value_ = std::move(value);
    machine_.call_at(machine_.now(), first);
  }
  T remove() {
    T value = std::move(values_.front());
    values_.pop_front();
    if (!pushers_.empty()) {
      pusher& first = *pushers_.front();
      pushers_.pop_front();
      values_.push_back(std::move(first.value_));
      machine_.call_at(machine_.now(), first);
    }
    return value;
  }

  host& machine_;
  std::size_t capacity_;
  std::deque<T> values_;
  std::deque<pusher*> pushers_;
  std::deque<popper*> poppers_;
};

}  // namespace tess::unit
