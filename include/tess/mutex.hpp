// mutex: a queue with one token: lock takes it, unlock puts it back; fair, and may be held across co_await.
//
//   The token is empty and there is only one, so the queue's slots shrink to a bit: {free, waiters}. Unlock hands the
//   token to the first waiting task, so no task starves; a waiting task does not block its worker.
//
//   `auto const held = co_await m.guard();` unlocks at the end of its block; `co_await guard(p)` does so at any place.
//   From another place, unlock is sent at the call, and the caller's finish waits for its answer.
//
// Threads  any task; a task other than the one that locked may unlock.
// Errors   unlock of a free mutex throws tess::error. Destruction while tasks wait for it ends the job with a message.
// Cost     lock and unlock at its place: 8 bytes of one cache line; a compare-exchange each with several workers,
//          plain loads and stores with one. From another place: one request and one reply each; unlock doesn't wait for
//          its reply. Handing over to a task of another thread: a line each way; to another place: one message.
// Source   the locks from multiple-reader queues of "Cache-Integrated Network Interfaces" (IJPP 2012), table 1.
#pragma once

#include <source_location>
#include <utility>

#include "tess/detail/events/event.hpp"

namespace tess {

class mutex;
class mutex_guard;
template <>
inline constexpr bool detail::has_holder<mutex> = true;

class mutex {
 public:
  using value_type = detail::no_value;
  enum class operation : std::uint8_t { lock, unlock };

  mutex() noexcept : line_(true) {}
  ~mutex() {
    if (line_.awaited()) [[unlikely]]
      detail::destroyed_while_awaited("a mutex");
  }

  /// lock() takes the mutex when awaited, try_lock() if it is free; unlock() passes it to the next waiting task.
  auto lock(std::source_location at = std::source_location::current()) noexcept
      -> detail::event_wait<mutex, operation::lock>;
  [[nodiscard]] bool try_lock() noexcept;
  void unlock();
  /// lock(); co_await gives a guard.
  auto guard(std::source_location at = std::source_location::current()) noexcept;

  /// Its address for other places; it must lie in the segment.
  [[nodiscard]] global_ptr<mutex> address() { return to_global(this); }

 private:
  friend struct detail::access;
  [[gnu::always_inline]] bool attempt(operation op, std::uint64_t& state, value_type&) const noexcept {
    bool const free = (state & detail::wait_list::flag) != 0;
    if (free == (op == operation::unlock)) return false;
    state ^= detail::wait_list::flag;
    return true;
  }
  /// On a hardware line: the token.
  static constexpr std::uint32_t line_items = 1;
  static constexpr bool line_bounded = false;
  static constexpr bool puts(operation op) noexcept { return op == operation::unlock; }
  static bool may_move(std::uint64_t) noexcept { return true; }
  static constexpr bool takes(operation) noexcept { return false; }
  static constexpr bool gives(operation) noexcept { return false; }
  static constexpr char const* name(operation op) noexcept {
    return op == operation::lock ? "lock of a mutex" : "unlock of a mutex";
  }

  friend class unlock_call;
  [[noreturn, gnu::cold]] static void refuse_unlock();

  detail::wait_list line_;
};
static_assert(sizeof(mutex) == 8);

[[gnu::always_inline]] inline auto mutex::lock(std::source_location at) noexcept
    -> detail::event_wait<mutex, operation::lock> {
  return {*this, {}, at};
}
inline bool mutex::try_lock() noexcept {
  return detail::try_event<operation::lock>(*this);
}
[[gnu::always_inline]] inline void mutex::unlock() {
  if (!detail::try_event<operation::unlock>(*this)) [[unlikely]]
    refuse_unlock();
}

/// One request, one reply.
inline auto lock(global_ptr<mutex> p, std::source_location at = std::source_location::current()) {
  return detail::call_event<mutex::operation::lock>(p, {}, at);
}
/// co_await gives true if it was free.
inline auto try_lock(global_ptr<mutex> p, std::source_location at = std::source_location::current()) {
  return detail::call_try_event<mutex::operation::lock>(p, {}, at);
}

/// The answer of an unlock; its co_await throws if the mutex was free. It need not be awaited.
class unlock_call : public detail::event_call<bool> {
 public:
  unlock_call(place_id target, detail::at_slot* slot, detail::wait_kind const& kind, std::source_location at) noexcept
      : detail::event_call<bool>(target, slot, kind, at) {
    abandon();
  }
  void await_resume() {
    if (!detail::event_call<bool>::await_resume()) mutex::refuse_unlock();
  }
};
/// At another place.
unlock_call unlock(global_ptr<mutex> p, std::source_location at = std::source_location::current());

/// Holds a mutex until the guard is destroyed.
class [[nodiscard("the guard unlocks when it is destroyed: keep it in a variable")]] mutex_guard {
 public:
  explicit mutex_guard(mutex& held) noexcept : here_(&held) {}
  /// Locks a mutex of another place; the guard unlocks it.
  explicit mutex_guard(global_ptr<mutex> held) noexcept : there_(held) {}
  mutex_guard(mutex_guard&& other) noexcept
      : here_(std::exchange(other.here_, nullptr)), there_(std::exchange(other.there_, nullptr)) {}
  mutex_guard& operator=(mutex_guard&& other) noexcept {
    std::swap(here_, other.here_);
    std::swap(there_, other.there_);
    return *this;
  }
  ~mutex_guard() { release(); }

  /// Unlocks now.
  void release() noexcept {
    if (here_ != nullptr) std::exchange(here_, nullptr)->unlock();
    if (there_) unlock_there(std::exchange(there_, nullptr));
  }

 private:
  /// If there is no memory for the message, the job ends: a mutex left locked would block it without any message.
  static void unlock_there(global_ptr<mutex> p) noexcept;

  mutex* here_ = nullptr;
  global_ptr<mutex> there_;
};

namespace detail {
struct [[nodiscard("the mutex is locked at the co_await"), gnu::warn_unused]] guard_wait
    : event_wait<mutex, mutex::operation::lock> {
  using event_wait::event_wait;
  mutex_guard await_resume() {
    event_wait::await_resume();
    return mutex_guard(event_);
  }
};
class [[nodiscard("the mutex is locked at the co_await"), gnu::warn_unused]] guard_call {
 public:
  guard_call(global_ptr<mutex> p, std::source_location at) : call_(tess::lock(p, at)), mutex_(p) {}
  [[nodiscard]] bool await_ready() const noexcept { return call_.await_ready(); }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
    return call_.await_suspend(h);
  }
  mutex_guard await_resume() {
    call_.await_resume();
    return mutex_guard(mutex_);
  }

 private:
  event_call<void> call_;
  global_ptr<mutex> mutex_;
};
}  // namespace detail

inline auto mutex::guard(std::source_location at) noexcept {
  return detail::guard_wait(*this, {}, at);
}
/// Locks a mutex of another place and gives a guard that unlocks it.
inline auto guard(global_ptr<mutex> p, std::source_location at = std::source_location::current()) {
  return detail::guard_call(p, at);
}

}  // namespace tess
