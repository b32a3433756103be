// event: the common part of sync_var, queue, match_queue, mutex, semaphore and event_counter: try, else wait; then
// resume others.
//
//   An event defines its operations: attempt(operation, state, value) performs one if it is possible now. Everything
//   else is here: the lock, the line of waiters, resuming them when their turn has come, and remote access.
//
//   No wake-up is lost. Either an operation is performed, and then the first waiters that can proceed do so, all
//   under one lock; or it joins the line under the same lock. So between two locked sections the operation at the head
//   cannot proceed. No operation overtakes: a newcomer that needs the same as a waiter has to wait too.
//
//   An operation from another place is a request to the event's place, which replies when it is done: the wait is kept
//   there, not at the caller.
//
//   An operation that need not wait does not yield, except one in 64: so messages are handled and other tasks run even
//   if a task never has to wait.
//
// Threads  any task; attempt() under the event's lock.
// Cost     locally: no message, no allocation. Remotely: one request and one reply, each a cache line for values up to
//          16 bytes; at the event's place, a block of its worker's pool while the operation waits.
// Errors   a null pointer, and no memory for a wait, are thrown at the call or at its co_await.
#pragma once

#include <coroutine>
#include <cstring>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "tess/at.hpp"
#include "tess/detail/access.hpp"
#include "tess/detail/events/event_operation.hpp"
#include "tess/detail/tasks/must_await.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

/// Called when no other task can run here: polls for a moment, because the wait is often short. Resumes no task.
void look_for_ready() noexcept;

/// A place failed: gives up all waits in this line.
void give_up_line(wait_list& line) noexcept;

/// A task that waits for this event waits for the one that holds it.
template <class Event>
inline constexpr bool has_holder = false;

/// An operation of a task at the event's place. Lasting: the wait always ends, because this place ends it.
template <class Event, typename Event::operation Op, bool Lasting = false>
class [[nodiscard("an operation that may wait is done at its co_await"), gnu::warn_unused]] event_wait
    : public parked_wait,
      public stoppable_wait {
 public:
  using value = typename Event::value_type;

  event_wait(Event& event, value v, std::source_location at) noexcept
      : parked_wait{&waits}, event_(event), must_await_(lost_event, at) {
    waiting_.value = v;
  }
  /// Made by an operator co_await.
  event_wait(Event& event, value v) noexcept : parked_wait{&waits}, event_(event) { waiting_.value = v; }
  event_wait(event_wait const&) = delete;
  event_wait& operator=(event_wait const&) = delete;

  [[gnu::always_inline]] bool await_ready() noexcept {
    must_await_.met();
    if (!perform<Op>(event_, waiting_.value, nullptr)) return false;
    if (!self->count_event()) [[likely]]
      return true;
    waiting_.done = true;
    return false;
  }
  /// True, although await_ready() returned false, if the operation is done and other tasks have their turn first.
  [[nodiscard]] bool is_done() const noexcept { return waiting_.done; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
    promise_base& p = h.promise();
    worker& w = *self;
    if (waiting_.done) return w.give_way(&p);
    if (!Lasting && job.failed != nullptr) [[unlikely]] {
      // Either it is done after all, or it never will be.
      waiting_.given_up = !perform<Op>(event_, waiting_.value, nullptr);
      return h;
    }
    if (!Lasting && !this->enter(p)) return h;
    p.waits_for = this;
    waiting_.whom = reinterpret_cast<std::uint64_t>(static_cast<ready_node*>(&p));
    waiting_.notify = w.notify_id();
    waiting_.operation = static_cast<std::uint8_t>(Op);
    if (perform<Op>(event_, waiting_.value, &waiting_)) {
      p.waits_for = nullptr;
      return h;
    }
    if (w.may_spin && w.runnable.empty() && w.unstarted.empty()) look_for_ready();
    return w.next();
  }
  [[gnu::always_inline]] auto await_resume() {
    woken();
    if constexpr (!Lasting) leave();
    if (waiting_.given_up) [[unlikely]]
      throw_place_failed();
    if constexpr (access::gives<Event>(Op)) return waiting_.value;
  }

 private:
  static void give_up(parked_wait& wait, promise_base&) noexcept {
    give_up_line(access::line(static_cast<event_wait&>(wait).event_));
  }
  static void const* held_object(parked_wait const& wait) noexcept {
    return &static_cast<event_wait const&>(wait).event_;
  }
  friend class stoppable_wait;
  bool take_back() noexcept { return take_back_waiter(event_, waiting_); }
  static constexpr wait_kind waits{access::name<Event>(Op), Lasting ? nullptr : &event_wait::give_up, !Lasting,
                                   has_holder<Event> ? &event_wait::held_object : nullptr};

 protected:
  /// Who performed the operation of a waiting task has done so before.
  void woken() const noexcept { races::acquire(&access::line(event_)); }

  Event& event_;
  waiting<value> waiting_;
  [[no_unique_address]] must_await must_await_;
};

/// An operation without waiting, at the event's place.
template <auto Op, class Event>
[[nodiscard]] auto try_event(Event& event, typename Event::value_type value = {}) noexcept {
  bool const done = perform<Op>(event, value, nullptr);
  if constexpr (access::gives<Event>(Op))
    return done ? std::optional(value) : std::nullopt;
  else
    return done;
}

/// Runs at the event's place. slot 0: no reply is wanted.
template <class Event, typename Event::operation Op, bool Try>
struct event_handler {
  using traits = event_traits<Event, Op>;
  using value = typename traits::value;
  struct payload {
    std::uint64_t slot;
    std::uint64_t event;
    [[no_unique_address]] typename traits::given given;
  };
  static constexpr std::uint32_t payload_bytes = sizeof(payload);
  static constexpr std::uint16_t payload_alignment = alignof(payload);
  static constexpr bool variable = false;

  static void invoke(message_context& context, std::byte const* bytes, std::size_t) {
    payload m;
    std::memcpy(&m, bytes, sizeof m);
    auto& event = *static_cast<Event*>(to_local(m.event));
    if constexpr (line_event<Event>) {
      if (context.source != self->place) move_to_line(event);
    }
    value v{};
    if constexpr (access::takes<Event>(Op)) v = m.given;
    bool done = perform<Op>(event, v, nullptr);
    if constexpr (Try) {
      auto const answer = [&] {
        if constexpr (access::gives<Event>(Op))
          return done ? std::optional(v) : std::nullopt;
        else
          return done;
      }();
      reply_value(context.source, m.slot, false, &answer, sizeof answer);
    } else {
      if (!done && !wait(event, m, context.source, v)) return;
      if (m.slot != 0) reply_value(context.source, m.slot, false, &v, access::gives<Event>(Op) ? sizeof v : 0);
    }
  }

 private:
  /// True: it is done after all.
  static bool wait(Event& event, payload const& m, place_id source, value& v) {
    waiting<value>* w = nullptr;
    try {
      w = new (self->frames.allocate(sizeof *w, frame_pool::kind::raw)) waiting<value>;
    } catch (...) {
      if (m.slot == 0) throw;
      reply_exception(source, m.slot, false, std::current_exception());
      return false;
    }
    w->whom = m.slot;
    w->notify = source;
    w->is = m.slot != 0 ? waiter::kind::call : waiter::kind::nobody;
    w->operation = static_cast<std::uint8_t>(Op);
    w->value = v;
    if (!perform<Op>(event, w->value, w)) return false;
    v = w->value;
    self->frames.release(w);
    return true;
  }
};

/// The caller's side of an operation at another place.
template <class R>
class [[nodiscard("an operation at another place completes at its co_await"), gnu::warn_unused]] event_call
    : public at_call<R> {
 public:
  event_call(place_id target, at_slot* slot, wait_kind const& kind, std::source_location at) noexcept
      : at_call<R>(target, slot, at, lost_event_call, kind) {
    slot->is_event = true;
  }
};

/// A remote wait may be ended by any place.
template <auto Op, class Event>
inline constexpr wait_kind event_call_wait{access::name<Event>(Op), &give_up_cell, true};

/// Throws unless the address is at a place of the job.
void check_event(std::uint64_t address, char const* what, std::source_location at);

template <class Handler>
void send_event(typename Handler::payload const& m) {
  send_request(place_of(m.event), handler_entry<Handler>::record, handler_entry<Handler>::id(),
               reinterpret_cast<std::byte const*>(&m), sizeof m);
}

/// Sends the payload of `Handler`, with a slot for its reply.
template <class R, class Handler, class Call = event_call<R>>
Call call_handler(wait_kind const& kind, typename Handler::payload m, std::source_location at) {
  check_event(m.event, kind.what, at);
  at_slot* const slot = make_at_slot(result_size<R>());
  m.slot = to_global(slot);
  try {
    send_event<Handler>(m);
  } catch (...) {
    free_at_slot(slot);
    throw;
  }
  return Call(place_of(m.event), slot, kind, at);
}

/// The hardware line of an event at any place; 0: it uses none.
[[nodiscard]] std::uint32_t line_at(std::uint64_t address, char const* what, std::source_location at);

/// The operation of a call has been performed on a line.
template <auto Op, class Event>
void tell_call(void* whom, std::uint64_t word) noexcept {
  auto const value = line_value<typename Event::value_type>(word);
  reply_value(self->place, reinterpret_cast<std::uint64_t>(whom), false, &value,
              access::gives<Event>(Op) ? sizeof value : 0);
}

/// An operation on a line, with a slot for its reply.
template <auto Op, bool Try, class Event, class Call>
Call call_line(wait_kind const& kind, std::uint64_t event, std::uint32_t line, typename Event::value_type const& value,
               std::source_location called_at) {
  using traits = event_traits<Event, Op>;
  using result = std::conditional_t<Try, typename traits::tried, typename traits::result>;
  event_units& units = *event_lines;
  place_id const at = place_of(event);
  at_slot* const slot = make_at_slot(result_size<result>());
  std::uint64_t const name = to_global(slot);
  if constexpr (access::puts<Event>(Op)) {
    bool const done = units.try_put(at, line, line_word(value));
    if (Try || done)
      reply_value(self->place, name, false, &done, Try ? sizeof done : 0);
    else
      units.put(at, line, line_word(value), &tell_call<Op, Event>, reinterpret_cast<void*>(name));
  } else if constexpr (Try) {
    std::uint64_t word = 0;
    bool const done = units.try_take(at, line, word);
    result answer{};
    if constexpr (access::gives<Event>(Op)) {
      if (done) answer = line_value<typename Event::value_type>(word);
    } else {
      answer = done;
    }
    reply_value(self->place, name, false, &answer, sizeof answer);
  } else {
    units.take(at, line, &tell_call<Op, Event>, reinterpret_cast<void*>(name));
  }
  return Call(at, slot, kind, called_at);
}
template <auto Op, class Event>
typename Event::value_type given_value(typename event_traits<Event, Op>::given const& given) noexcept {
  if constexpr (access::takes<Event>(Op))
    return given;
  else
    return {};
}

template <auto Op, class Event>
auto call_event(global_ptr<Event> p, typename event_traits<Event, Op>::given given, std::source_location at) {
  check_value<typename event_traits<Event, Op>::value>();
  if constexpr (line_event<Event>) {
    using call = event_call<typename event_traits<Event, Op>::result>;
    if (std::uint32_t const line = line_at(p.bits(), access::name<Event>(Op), at))
      return call_line<Op, false, Event, call>(event_call_wait<Op, Event>, p.bits(), line,
                                               given_value<Op, Event>(given), at);
  }
  return call_handler<typename event_traits<Event, Op>::result, event_handler<Event, Op, false>>(
      event_call_wait<Op, Event>, {0, p.bits(), given}, at);
}
template <auto Op, class Event>
auto call_try_event(global_ptr<Event> p, typename event_traits<Event, Op>::given given, std::source_location at) {
  check_value<typename event_traits<Event, Op>::value>();
  if constexpr (line_event<Event>) {
    using call = event_call<typename event_traits<Event, Op>::tried>;
    if (std::uint32_t const line = line_at(p.bits(), access::name<Event>(Op), at))
      return call_line<Op, true, Event, call>(event_call_wait<Op, Event>, p.bits(), line, given_value<Op, Event>(given),
                                              at);
  }
  return call_handler<typename event_traits<Event, Op>::tried, event_handler<Event, Op, true>>(
      event_call_wait<Op, Event>, {0, p.bits(), given}, at);
}

}  // namespace tess::detail
