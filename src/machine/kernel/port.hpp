// port: a bounded channel between processes: a push to a full port waits, and so does a pop from an empty one.
//
//   This is the only back-pressure in the machine. Waiters are served first come, first served. They continue at the
//   time at which room or a value appeared, after events that are already pending for that time. Nothing overtakes a
//   waiter.
//
// Cost      no allocation after construction; a wake-up is one event.
// Threads   one.
#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "machine/kernel/kernel.hpp"

namespace tess::machine {

namespace detail {
/// The waiters of a port, in order.
template <class Waiter>
class waiting_line {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  void join(Waiter& waiter) noexcept {
    waiter.next_in_line = nullptr;
    (first_ == nullptr ? first_ : last_->next_in_line) = &waiter;
    last_ = &waiter;
  }
  Waiter& leave() noexcept {
    Waiter& first = *first_;
    first_ = first.next_in_line;
    return first;
  }

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};
}  // namespace detail

template <class T>
class port {
 public:
  port(kernel& owner, std::size_t capacity) : kernel_(owner), slots_(capacity) { MACHINE_ASSERT(capacity > 0); }
  port(port const&) = delete;
  port& operator=(port const&) = delete;

  [[nodiscard]] std::size_t capacity() const noexcept { return slots_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool full() const noexcept { return size_ == slots_.size(); }

  class [[nodiscard]] pusher : event {
   public:
    pusher(port& to, T value) : event(resume), port_(to), value_(std::move(value)) {}
    [[nodiscard]] bool await_ready() { return port_.try_push(value_); }
    void await_suspend(std::coroutine_handle<> waiting) noexcept {
      waiting_ = waiting;
      port_.pushers_.join(*this);
    }
    void await_resume() const noexcept {}

   private:
    friend class port;
    friend class detail::waiting_line<pusher>;
    static void resume(event& self) { static_cast<pusher&>(self).waiting_.resume(); }
    port& port_;
    T value_;
    std::coroutine_handle<> waiting_;
    pusher* next_in_line = nullptr;
  };

  class [[nodiscard]] popper : event {
   public:
    explicit popper(port& from) : event(resume), port_(from) {}
    [[nodiscard]] bool await_ready() {
      value_ = port_.try_pop();
      return value_.has_value();
    }
    void await_suspend(std::coroutine_handle<> waiting) noexcept {
      waiting_ = waiting;
      port_.poppers_.join(*this);
    }
    T await_resume() { return std::move(*value_); }

   private:
    friend class port;
    friend class detail::waiting_line<popper>;
    static void resume(event& self) { static_cast<popper&>(self).waiting_.resume(); }
    port& port_;
    std::optional<T> value_;
    std::coroutine_handle<> waiting_;
    popper* next_in_line = nullptr;
  };

  /// co_await: completes when the value is in the port.
  pusher push(T value) { return {*this, std::move(value)}; }
  /// co_await: the oldest value.
  popper pop() { return popper{*this}; }

  /// For devices without a process. False: the port is full, `value` is unchanged.
  [[nodiscard]] bool try_push(T& value) {
    if (!poppers_.empty()) {  // the port is empty: hand the value over
      popper& first = poppers_.leave();
      first.value_ = std::move(value);
      kernel_.after(0, first);
      return true;
    }
    if (full()) return false;
    add(std::move(value));
    return true;
  }
  [[nodiscard]] std::optional<T> try_pop() {
    if (empty()) return std::nullopt;
    std::optional<T> taken(std::move(slots_[head_]));
    head_ = (head_ + 1) % slots_.size();
    --size_;
    if (!pushers_.empty()) {
      pusher& first = pushers_.leave();
      add(std::move(first.value_));
      kernel_.after(0, first);
    }
    return taken;
  }

 private:
  void add(T&& value) {
    slots_[(head_ + size_) % slots_.size()] = std::move(value);
    ++size_;
  }

  kernel& kernel_;
  std::vector<T> slots_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  detail::waiting_line<pusher> pushers_;
  detail::waiting_line<popper> poppers_;
};

}  // namespace tess::machine
