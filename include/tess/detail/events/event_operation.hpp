// event_operation: one operation of an event at its place: performed, or queued; then waiters that can proceed do so.
//
//   An event is in memory of its place, or on a line of the machine (event_lines.hpp). There the interface keeps
//   the line of waiters; the waiter whose operation is done is resumed in the same way.
//
// Threads  any task; attempt() under the event's lock.
// Cost     in memory: no message, no allocation. On a line of the own place: one round trip to the L2.
#pragma once

#include <cstring>
#include <optional>
#include <type_traits>

#include "tess/at.hpp"
#include "tess/detail/access.hpp"
#include "tess/detail/events/wait_list.hpp"

namespace tess::detail {

/// The types that events carry between tasks.
template <class T>
concept event_value = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> && alignof(T) <= 16;

/// The value of operations that carry none.
struct no_value {};

inline constexpr std::size_t event_value_bytes_max = 1024;

/// The event, the operation, and its input and output. Event: value_type, operation, name(), takes(),
/// gives().
template <class Event, typename Event::operation Op>
struct event_traits {
  using value = typename Event::value_type;
  using given = std::conditional_t<access::takes<Event>(Op), value, no_value>;
  using result = std::conditional_t<access::gives<Event>(Op), value, void>;
  /// The result of the operation's try_ form.
  using tried = std::conditional_t<access::gives<Event>(Op), std::optional<value>, bool>;
};

/// Notifies the waiters removed from a line, in order. A task may resume at once, and its waiter end.
template <class Event>
void resume_all(waiter* w) noexcept {
  using value = typename Event::value_type;
  while (w != nullptr) {
    auto* const one = static_cast<waiting<value>*>(w);
    w = w->next;
    if (one->is == waiter::kind::task) {
      notify_worker(one->notify, one->whom);
      continue;
    }
    if (one->is == waiter::kind::call) {
      bool const gives = access::gives<Event>(static_cast<typename Event::operation>(one->operation));
      reply_value(static_cast<place_id>(one->notify), one->whom, false, &one->value, gives ? sizeof(value) : 0);
    }
    self->frames.release(one);
  }
}

/// Performs the operations at the head of the line that can proceed, and unlocks.
template <class Event>
[[gnu::noinline]] void let_others_go(Event& event, std::uint64_t state) noexcept {
  waiter* gone = nullptr;
  waiter** end = &gone;
  while (wait_list::has_waiters(state)) {
    auto& w = static_cast<waiting<typename Event::value_type>&>(wait_list::first(state));
    if (!access::attempt(event, static_cast<typename Event::operation>(w.operation), state, w.value)) break;
    wait_list::remove_first(state);
    *end = &w;
    end = &w.next;
  }
  *end = nullptr;
  access::line(event).close(state);
  // From here on the event may be destroyed.
  resume_all<Event>(gone);
}

/// Events that can use hardware lines.
template <class Event>
concept line_event = machine_has_lines && (access::line_items<Event>() > 0);

template <class Value>
std::uint64_t line_word(Value const& value) noexcept {
  std::uint64_t word = 0;
  if constexpr (!std::is_empty_v<Value>) std::memcpy(&word, &value, sizeof value);
  return word;
}
template <class Value>
Value line_value(std::uint64_t word) noexcept {
  Value value{};
  if constexpr (!std::is_empty_v<Value>) std::memcpy(&value, &word, sizeof value);
  return value;
}

/// A waiter's operation has been performed on a line.
template <class Event>
void tell_waiter(void* whom, std::uint64_t word) noexcept {
  using value = typename Event::value_type;
  auto* const w = static_cast<waiting<value>*>(whom);
  if (!access::puts<Event>(static_cast<typename Event::operation>(w->operation))) w->value = line_value<value>(word);
  w->next = nullptr;
  resume_all<Event>(w);
}

/// Like perform(), for an event that is on a line of this place.
template <auto Op, class Event>
[[gnu::noinline]] bool perform_on_line(std::uint32_t line, typename Event::value_type& value, waiter* w) noexcept {
  using value_type = typename Event::value_type;
  event_units& units = *event_lines;
  if constexpr (access::puts<Event>(Op)) {
    if (units.try_put(self->place, line, line_word(value))) return true;
    if constexpr (access::line_bounded<Event>()) {
      if (w != nullptr) units.put(self->place, line, line_word(value), &tell_waiter<Event>, w);
    }
    return false;
  } else {
    if (w != nullptr) {
      units.take(self->place, line, &tell_waiter<Event>, w);
      return false;
    }
    std::uint64_t word = 0;
    if (!units.try_take(self->place, line, word)) return false;
    value = line_value<value_type>(word);
    return true;
  }
}

/// Called when another place uses the event: moves it to a line, if one is free and the event holds only its flag.
template <class Event>
void move_to_line(Event& event) noexcept {
  if (event_lines == nullptr) return;
  std::uint64_t state = access::line(event).open();
  bool const moves = wait_list::line_of(state) == 0 && !wait_list::has_waiters(state) && access::may_move(event, state);
  if (std::uint32_t const line =
          moves ? event_lines->make(access::line_items<Event>(), access::line_bounded<Event>()) : 0) {
    if ((state & wait_list::flag) != 0) static_cast<void>(event_lines->try_put(self->place, line, 0));
    state = wait_list::state_on(line);
  }
  access::line(event).close(state);
}

/// True: it is done. False: it cannot be done now, and `w`, unless null, waits for it.
template <auto Op, class Event>
[[gnu::always_inline]] inline bool perform(Event& event, typename Event::value_type& value, waiter* w) noexcept {
  wait_list& line = access::line(event);
  std::uint64_t state = line.open();
  if constexpr (line_event<Event>) {
    if (std::uint32_t const there = wait_list::line_of(state)) [[unlikely]] {
      line.close(state);
      return perform_on_line<Op, Event>(there, value, w);
    }
  }
  bool const done = access::attempt(event, Op, state, value);
  if (done && wait_list::has_waiters(state)) [[unlikely]] {
    let_others_go(event, state);
    return true;
  }
  if (!done && w != nullptr) wait_list::append(state, *w);
  line.close(state);
  return done;
}

/// Takes a waiter out of the line; others behind it may be able to proceed then. False: its operation has been
/// performed, or the event is on a line of the machine, which keeps its waiters.
template <class Event>
[[gnu::noinline]] bool take_back_waiter(Event& event, waiter const& w) noexcept {
  std::uint64_t state = access::line(event).open();
  bool const removed = wait_list::line_of(state) == 0 && wait_list::remove(state, w);
  if (removed && wait_list::has_waiters(state))
    let_others_go(event, state);
  else
    access::line(event).close(state);
  return removed;
}

}  // namespace tess::detail
