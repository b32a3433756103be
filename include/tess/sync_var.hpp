// sync_var: a word with a full/empty bit: reads wait for full, writes wait for empty; tasks wait in FIFO
// order.
//
//   | operation | waits for | leaves it |              write_ef and read_fe hand values from task to task; write_xf
//   | write_ef  | empty     | full      |              and read_ff make a value that is written once, or now and then,
//   | write_xf  |           | full      |              and read by many. try_ forms do not wait: they say whether it
//   | read_fe   | full      | empty     |              could be done.
//   | read_ff   | full      | full      |
//
//   Members are for tasks of its own place. Functions on global_ptr<sync_var<T>> work from any place; the wait is kept
//   at the variable's place. A remote operation is issued at its call; a local one is performed at its co_await.
//
// Shapes   {8 bytes of state, 8 bytes of value}.
// Threads  any task. Tasks resume in the order in which they began to wait.
// Errors   destruction while tasks wait for it ends the job with a message.
// Cost     member: no message, no allocation, one cache line; a few instructions, and one compare-exchange if the
//          place has several workers. Resuming a waiter adds a push, or a line if it runs on another thread. A waiting
//          task costs its frame. Function: one request and one reply, a line each; a wait takes 64 bytes at its place.
// Source   the full/empty bits of the Tera MTA; "Crunching Large Graphs with Commodity Processors" (HotPar 2011), the
//          synchronisation operations; the names are those of Qthreads and Grappa.
#pragma once

#include <optional>
#include <source_location>

#include "tess/detail/events/event.hpp"

namespace tess {

template <class T>
class sync_var {
  static_assert(detail::event_value<T> && sizeof(T) <= 8 && alignof(T) <= 8,
                "sync_var: T must be trivially copyable, default constructible and of at most 8 bytes");

 public:
  using value_type = T;
  enum class operation : std::uint8_t { write_ef, write_xf, read_fe, read_ff };

  /// Initially empty.
  sync_var() noexcept = default;
  /// Initially full.
  explicit sync_var(T value) noexcept : line_(true), value_(value) {}
  ~sync_var() {
    if (line_.awaited()) [[unlikely]]
      detail::destroyed_while_awaited("a sync_var");
  }

  /// Waits for empty, then fills it.
  auto write_ef(T v, std::source_location at = std::source_location::current()) noexcept {
    return wait<operation::write_ef>(*this, v, at);
  }
  /// Fills it in any state; never waits.
  void write_xf(T v) noexcept { static_cast<void>(detail::try_event<operation::write_xf>(*this, v)); }
  /// Waits for full; co_await gives the value and makes it empty.
  auto read_fe(std::source_location at = std::source_location::current()) noexcept {
    return wait<operation::read_fe>(*this, T{}, at);
  }
  /// Waits for full; co_await gives the value and leaves it full.
  auto read_ff(std::source_location at = std::source_location::current()) noexcept {
    return wait<operation::read_ff>(*this, T{}, at);
  }
  [[nodiscard]] bool try_write_ef(T v) noexcept { return detail::try_event<operation::write_ef>(*this, v); }
  [[nodiscard]] std::optional<T> try_read_fe() noexcept { return detail::try_event<operation::read_fe>(*this); }
  [[nodiscard]] std::optional<T> try_read_ff() noexcept { return detail::try_event<operation::read_ff>(*this); }

  /// Its address for other places. It must lie in the segment: in a task's frame, in a place_local, or constructed in
  /// memory from allocate().
  [[nodiscard]] global_ptr<sync_var> address() { return to_global(this); }

 private:
  friend struct detail::access;
  [[gnu::always_inline]] bool attempt(operation op, std::uint64_t& state, T& v) noexcept {
    bool const full = (state & detail::wait_list::flag) != 0;
    switch (op) {
      case operation::write_ef:
        if (full) return false;
        [[fallthrough]];
      case operation::write_xf:
        value_ = v;
        state |= detail::wait_list::flag;
        return true;
      case operation::read_fe:
        if (!full) return false;
        v = value_;
        state &= ~detail::wait_list::flag;
        return true;
      case operation::read_ff:
        if (!full) return false;
        v = value_;
        return true;
    }
    return false;
  }
  static constexpr bool takes(operation op) noexcept { return op == operation::write_ef || op == operation::write_xf; }
  static constexpr bool gives(operation op) noexcept { return !takes(op); }
  static constexpr char const* name(operation op) noexcept {
    constexpr char const* names[] = {"write_ef of a sync_var", "write_xf of a sync_var", "read_fe of a sync_var",
                                     "read_ff of a sync_var"};
    return names[static_cast<unsigned>(op)];
  }

  template <operation Op>
  using wait = detail::event_wait<sync_var, Op>;

  detail::wait_list line_;
  alignas(8) T value_{};
};
static_assert(sizeof(sync_var<std::uint64_t>) == 8 + sizeof(std::uint64_t));
static_assert(sizeof(sync_var<global_ptr<int>>) == 8 + sizeof(global_ptr<int>));
static_assert(sizeof(sync_var<char>) == 16);

// The same from any place: one request, one reply.

/// At another place: like the members.
template <class T>
auto write_ef(global_ptr<sync_var<T>> p, std::type_identity_t<T> v,
              std::source_location at = std::source_location::current()) {
  return detail::call_event<sync_var<T>::operation::write_ef>(p, v, at);
}
template <class T>
auto write_xf(global_ptr<sync_var<T>> p, std::type_identity_t<T> v,
              std::source_location at = std::source_location::current()) {
  return detail::call_event<sync_var<T>::operation::write_xf>(p, v, at);
}
template <class T>
auto read_fe(global_ptr<sync_var<T>> p, std::source_location at = std::source_location::current()) {
  return detail::call_event<sync_var<T>::operation::read_fe>(p, {}, at);
}
template <class T>
auto read_ff(global_ptr<sync_var<T>> p, std::source_location at = std::source_location::current()) {
  return detail::call_event<sync_var<T>::operation::read_ff>(p, {}, at);
}
/// co_await gives true if the operation was done at once.
template <class T>
auto try_write_ef(global_ptr<sync_var<T>> p, std::type_identity_t<T> v,
                  std::source_location at = std::source_location::current()) {
  return detail::call_try_event<sync_var<T>::operation::write_ef>(p, v, at);
}
/// co_await gives an empty optional if the variable was empty.
template <class T>
auto try_read_fe(global_ptr<sync_var<T>> p, std::source_location at = std::source_location::current()) {
  return detail::call_try_event<sync_var<T>::operation::read_fe>(p, {}, at);
}
template <class T>
auto try_read_ff(global_ptr<sync_var<T>> p, std::source_location at = std::source_location::current()) {
  return detail::call_try_event<sync_var<T>::operation::read_ff>(p, {}, at);
}

}  // namespace tess
