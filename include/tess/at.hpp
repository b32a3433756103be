// at: calls a function at another place: `at` waits for its result; the enclosing finish waits for an `at_async`.
//
//   f is a trivially copyable callable that captures nothing or values; references and pointers are compile errors
//   (unchecked.hpp). Trivially copyable arguments and results travel as bytes. std::string, containers, optional,
//   variant, pair, tuple, unique_ptr, and aggregates of these travel by value, at any size. Objects travel as graphs
//   (tess/object.hpp). If f returns task<R>, it becomes a task there. Otherwise it runs inside the message handler and
//   must not block (a cheap delegate). Handlers of one worker do not interrupt each other; handlers of several workers
//   of a place run concurrently. `at` messages leave at once; at the caller's own place, f is called or started within
//   the call. `at_async` messages are gathered per destination, also for the own place, and handlers may run inside
//   at_async() when a buffer is full (docs/internals/contract.md, 5.5).
//
// Threads  any task; at_async also from handlers.
//          Each `at` is awaited; its abandon() leaves it to the finish, without its result and its exception.
// Errors   exceptions travel back. At the caller's own place they keep their type. From another place, tess::error,
//          out_of_memory and place_failed do; others become remote_error. The finish gets those of at_async. f and
//          trivially copyable args over 2 KiB are a compile error: send a std::vector, or a global_ptr and use get.
// Cost     values that own memory: two passes to write them, one to read them, and their allocations; over 2 KiB, a
//          round trip and a put before the call.
// Source   X10's `at`; "Crunching Large Graphs with Commodity Processors" (HotPar 2011); the delegates of its
//          successor Grappa (USENIX ATC 2015).
#pragma once

#include <coroutine>
#include <cstring>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>

#include "tess/copier.hpp"
#include "tess/counter.hpp"
#include "tess/detail/address_check.hpp"
#include "tess/detail/at_call.hpp"
#include "tess/detail/handler.hpp"
#include "tess/detail/range_concepts.hpp"
#include "tess/detail/tasks/call_time.hpp"
#include "tess/finish.hpp"
#include "tess/object.hpp"
#include "tess/place.hpp"
#include "tess/unchecked.hpp"

namespace tess {

namespace detail {

inline constexpr std::size_t message_bytes_max = 2048;

/// Sends one `at` request now, or calls the handler directly when `target` is this place.
void send_request(place_id target, handler_record const& record, handler_id handler, std::byte const* payload,
                  std::size_t bytes);
/// Room for the payload of one at_async message in the buffer for `target`.
[[nodiscard]] std::byte* append_async_slowly(place_id target, handler_id handler, std::size_t bytes);
/// Room in the open buffer of one of the first `places` places; null if there is none.
[[gnu::always_inline]] inline std::byte* append_to_open(worker& w, std::uint32_t places, place_id target,
                                                        handler_id handler, std::size_t bytes) {
  if (target >= places) [[unlikely]]
    return nullptr;
  out_buffer* const b = w.outgoing_open[target];
  if (b == nullptr || b->scope != w.current->scope || !b->fits(bytes)) [[unlikely]]
    return nullptr;
  ++b->run_messages;
  return b->append(handler, bytes);
}
inline std::byte* append_async(place_id target, handler_id handler, std::size_t bytes) {
  worker& w = *self;
  if (std::byte* const room = append_to_open(w, w.async_places, target, handler, bytes)) [[likely]]
    return room;
  return append_async_slowly(target, handler, bytes);
}
void check_place(place_id target, char const* who);

/// The finish scope of one incoming `at`; see finish.cpp. Freed when no task counts for it any more.
class call_scope;
[[nodiscard]] call_scope* enter_call(std::uint64_t finish_key, place_id caller);
/// Called before the reply: true if the body left tasks behind. From here on they are counted for the finish.
[[nodiscard]] bool leave_call(call_scope* scope) noexcept;
void end_call(call_scope* scope) noexcept;
[[nodiscard]] finish_scope* as_scope(call_scope* scope) noexcept;

/// If a reply cannot be made, the job ends, because the caller would wait for ever.
void reply_value(place_id target, std::uint64_t slot, bool left_tasks, void const* value, std::size_t bytes) noexcept;
void reply_exception(place_id target, std::uint64_t slot, bool left_tasks, std::exception_ptr exception) noexcept;

/// Makes the running handler the current task, so that spawn and at_async inside it count for `scope`.
class handler_frame {
 public:
  explicit handler_frame(finish_scope* scope) noexcept : worker_(*self), outer_(worker_.current) {
    outer_scope_ = std::exchange(worker_.handler.scope, scope);
    worker_.current = &worker_.handler;
    ++worker_.delivering;
  }
  ~handler_frame() {
    --worker_.delivering;
    worker_.current = outer_;
    worker_.handler.scope = outer_scope_;
  }
  handler_frame(handler_frame const&) = delete;
  handler_frame& operator=(handler_frame const&) = delete;

 private:
  worker& worker_;
  promise_base* outer_;
  finish_scope* outer_scope_;
};

/// Queues a task made by a handler as runnable (its scope already counts it).
inline void start_in_scope(task<void> t, finish_scope* s) {
  self->make_runnable(release_into(s, std::move(t)));
}

/// The same for a task whose result is not awaited: if settings::overlap_calls is off, it waits for its turn.
inline void start_async_in_scope(task<void> t, finish_scope* scope) {
  if (self->overlaps_calls) [[likely]]
    return start_in_scope(std::move(t), scope);
  worker& w = *self;
  w.not_alone();
  push_unstarted(w, release_into(scope, std::move(t)));
}

template <class F, class... Args>
using at_result = task_traits<std::invoke_result_t<F&, Args...>>;

template <class F, class... Args>
struct at_handler {
  using result = typename at_result<F, Args...>::result;
  struct payload {
    std::uint64_t slot;
    std::uint64_t finish_key;
    [[no_unique_address]] F f;
    [[no_unique_address]] pack<Args...> args;
  };
  static constexpr std::uint32_t payload_bytes = sizeof(payload);
  static constexpr std::uint16_t payload_alignment = alignof(payload);
  static constexpr bool variable = false;
  static_assert(sizeof(payload) <= message_bytes_max, "at: callable and arguments exceed 2 KiB; pass a global_ptr");

  /// The caller counts the call.
  static bool is_counted(place_id source) noexcept { return !is_of_runtime<F const> && source != self->place; }

  static void invoke(message_context& context, std::byte const* bytes, std::size_t) {
    alignas(payload) std::byte copy[sizeof(payload)];
    std::memcpy(copy, bytes, sizeof(payload));
    payload& m = *reinterpret_cast<payload*>(copy);
    call_scope* scope = nullptr;
    try {
      scope = enter_call(m.finish_key, context.source);
      if constexpr (at_result<F, Args...>::is_task) {
        start_in_scope(serve(m, context.source, scope), as_scope(scope));
        return;
      }
    } catch (...) {
      // There was no memory for the scope or the frame.
      reply_exception(context.source, m.slot, false, std::current_exception());
      if (scope != nullptr) end_call(scope);
      return;
    }
    if constexpr (!at_result<F, Args...>::is_task) {
      call(m, context.source, scope);
      end_call(scope);
    }
  }

 private:
  static void call(payload& m, place_id source, call_scope* scope) {
    std::exception_ptr thrown;
    {
      handler_frame const frame(as_scope(scope));
      try {
        function_timer time(is_counted(source));
        if constexpr (std::is_void_v<result>) {
          apply_pack(m.f, m.args);
        } else {
          result const r = apply_pack(m.f, m.args);
          time.end();
          reply_value(source, m.slot, leave_call(scope), &r, sizeof r);
          return;
        }
      } catch (...) {
        thrown = std::current_exception();
      }
    }
    if (thrown)
      reply_exception(source, m.slot, leave_call(scope), std::move(thrown));
    else
      reply_value(source, m.slot, leave_call(scope), nullptr, 0);
  }

  static task<void> serve(payload m, place_id source, call_scope* scope) {
    std::exception_ptr thrown;
    try {
      function_timer time(is_counted(source));
      if constexpr (std::is_void_v<result>) {
        co_await apply_pack(m.f, m.args);
        time.end();
        reply_value(source, m.slot, leave_call(scope), nullptr, 0);
      } else {
        result const r = co_await apply_pack(m.f, m.args);
        time.end();
        reply_value(source, m.slot, leave_call(scope), &r, sizeof r);
      }
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown) reply_exception(source, m.slot, leave_call(scope), std::move(thrown));
  }
};

template <class F, class... Args>
struct async_handler {
  struct payload {
    [[no_unique_address]] F f;
    [[no_unique_address]] pack<Args...> args;
  };
  static constexpr std::uint32_t payload_bytes = sizeof(payload);
  static constexpr std::uint16_t payload_alignment = alignof(payload);
  static constexpr bool variable = false;
  static_assert(sizeof(payload) <= message_bytes_max,
                "at_async: callable and arguments exceed 2 KiB; pass a global_ptr");

  static void invoke(message_context& context, std::byte const* bytes, std::size_t) {
    alignas(payload) std::byte copy[sizeof(payload)];
    std::memcpy(copy, bytes, sizeof(payload));
    payload& m = *reinterpret_cast<payload*>(copy);
    if constexpr (at_result<F, Args...>::is_task) {
      try {
        task<void> t = serve(m);
        // The run's scope counts it as one; final_suspend subtracts it.
        context.scope->add(1);
        start_async_in_scope(std::move(t), context.scope);
      } catch (...) {
        context.scope->fail(std::current_exception());
      }
    } else {
      try {
        apply_pack(m.f, m.args);
      } catch (...) {
        context.scope->fail(std::current_exception());
      }
    }
  }

  static std::byte const* invoke_run(message_context& context, std::byte const* first, std::byte const* end) {
    return visit_equal(first, end, sizeof(payload), [&](std::byte const* p) { invoke(context, p, sizeof(payload)); });
  }

 private:
  static task<void> serve(payload m) { static_cast<void>(co_await apply_pack(m.f, m.args)); }
};

/// A message that is the first of its buffer, or of a job that verifies: its parts are looked at. They are passed by
/// value: with references to them, the path of other messages would have to write them to memory.
template <class F, class... Args>
[[gnu::noinline]] void append_async_looked_at(place_id target, std::source_location at, F f, Args... args) {
  using handler = async_handler<F, Args...>;
  if constexpr (!is_always_checked<F, Args...>()) check_addresses(target, at, f, args...);
  typename handler::payload const m{f, make_pack<Args...>(args...)};
  std::byte* const room = append_async_slowly(target, handler_entry<handler>::id(), sizeof m);
  std::memcpy(room, &m, sizeof m);
}

template <class R>
constexpr std::size_t result_size() {
  if constexpr (std::is_void_v<R>)
    return 0;
  else
    return sizeof(R);
}

/// A callable that another place may execute; the errors name the remedy.
template <class F>
consteval void check_callable() {
  static_assert(!std::is_pointer_v<F> && !std::is_member_pointer_v<F>,
                "a callable that travels: addresses of functions do not cross places: send a lambda");
  static_assert(message_part<F>,
                "a callable that travels must be trivially copyable: capture numbers and structs of them; pass a "
                "std::string, a container, a tuple or a unique_ptr as an argument");
  static_assert(
      address_free<F> || !message_part<F>,
      "a callable that travels must not capture by reference, or capture a pointer, std::span or "
      "std::string_view: capture values, a global_ptr or a place_local, or pass objects as arguments; if what "
      "it captures is a union, bit-field or std::complex, without an address, see tess/unchecked.hpp");
}

/// An argument or a result that travels as bytes.
template <class T>
consteval void check_value() {
  if constexpr (!std::is_void_v<T>) {
    static_assert(message_part<T>, "a value that travels as bytes must be trivially copyable");
    static_assert(address_free<T> || !message_part<T>,
                  "a value that travels must not hold an address (std::span, std::string_view, a reference): pass an "
                  "object, tess::array, tess::string or a global_ptr; if it holds a union, bit-field or "
                  "std::complex but no address, specialise tess::plain_data for it");
  }
}

/// True if arguments or result contain pointers to objects.
template <class T>
consteval bool leads_to_objects();
template <class T>
struct result_object;
template <class Result, class... Args>
consteval bool needs_objects() {
  return result_object<Result>::is_graph || (leads_to_objects<Args>() || ...);
}
template <class F, class... Args>
auto at_with_objects(place_argument to, copier by, copy_map map, F f, Args... args);
template <class F, class... Args>
void at_async_with_objects(place_argument to, copier by, copy_map map, F f, Args... args);
template <class F, class... Args>
task<void> at_async_copied_with_objects(place_argument to, copier by, F f, Args... args);

/// True if arguments or result own memory and travel by value (detail/objects/at_wire.hpp).
template <class T>
inline constexpr bool is_wired = !std::is_trivially_copyable_v<T> && !is_a<T, graph>;
template <>
inline constexpr bool is_wired<void> = false;
/// A view of memory of the caller's place, whose bytes mean nothing elsewhere.
template <class T>
inline constexpr bool is_view = std::is_trivially_copyable_v<T> && std::ranges::borrowed_range<T>;
template <class F, class... Args>
auto at_with_values(place_argument to, F f, Args... args);
template <class F, class... Args>
void at_async_with_values(place_argument to, F f, Args... args);

/// Without objects, the arguments and the result travel as bytes.
template <class F, class... Args>
auto at_with_bytes(place_argument to, F f, Args... args) {
  using handler = at_handler<F, Args...>;
  using result = typename handler::result;
  check_value<result>();
  (check_value<Args>(), ...);
  static_assert(result_size<result>() <= message_bytes_max, "at: the result exceeds 2 KiB; use put");

  place_id const target = to;
  check_place(target, "at");
  check_addresses(target, to.called_at(), f, args...);
  std::uint64_t const called = time_of_call<F>(target);
  at_slot* const slot = make_at_slot(result_size<result>());
  slot->called = called;
  worker& w = *self;
  typename handler::payload const m{to_global(slot), w.current->scope->key_to_send(), std::move(f),
                                    make_pack<Args...>(std::move(args)...)};
  try {
    send_request(target, handler_entry<handler>::record, handler_entry<handler>::id(),
                 reinterpret_cast<std::byte const*>(&m), sizeof m);
  } catch (...) {
    free_at_slot(slot);
    throw;
  }
  return at_call<result>(target, slot, to.called_at());
}

}  // namespace detail

/// Calls f(args...) at `target`; `co_await` gives the result. Throws tess::error if there is no such place.
template <class F, class... Args>
  requires std::invocable<F&, Args...>
auto at(place_argument target, F f, Args... args) {
  detail::check_callable<F>();
  detail::races::sending_from(TESS_RACES_CALLER);
  static_assert((!detail::is_view<Args> && ...), "at: a view's memory stays here: pass a std::string or std::vector");
  using result = typename detail::at_result<F, Args...>::result;
  // Named first: clang 19 takes the wrong branch of a chain of `if constexpr` that calls these.
  constexpr bool values = detail::is_wired<result> || (detail::is_wired<Args> || ...);
  constexpr bool objects = detail::needs_objects<result, Args...>();
  if constexpr (values)
    return detail::at_with_values(target, std::move(f), std::move(args)...);
  else if constexpr (objects)
    return detail::at_with_objects(target, copier::automatic, copy_map::automatic, std::move(f), std::move(args)...);
  else
    return detail::at_with_bytes(target, std::move(f), std::move(args)...);
}

/// The same, with a copier and a copy map for this call.
template <class F, class... Args>
  requires std::invocable<F&, Args...>
auto at(place_argument target, copier by, F f, Args... args) {
  detail::check_callable<F>();
  static_assert((detail::message_part<Args> && ...), "at: arguments must be trivially copyable");
  return detail::at_with_objects(target, by, copy_map::automatic, std::move(f), std::move(args)...);
}
template <class F, class... Args>
  requires std::invocable<F&, Args...>
auto at(place_argument target, copier by, copy_map map, F f, Args... args) {
  detail::check_callable<F>();
  static_assert((detail::message_part<Args> && ...), "at: arguments must be trivially copyable");
  return detail::at_with_objects(target, by, map, std::move(f), std::move(args)...);
}

/// Calls f(args...) at `target` later; counts for the caller's innermost finish. A result is dropped.
template <class F, class... Args>
  requires std::invocable<F&, Args...>
void at_async(place_argument target, F f, Args... args) {
  detail::check_callable<F>();
  detail::races::sending_from(TESS_RACES_CALLER);
  static_assert((!detail::is_view<Args> && ...),
                "at_async: a view's memory stays here: pass a std::string or std::vector");
  constexpr bool values = (detail::is_wired<Args> || ...);
  constexpr bool objects = detail::needs_objects<void, Args...>();
  if constexpr (values) {
    detail::at_async_with_values(target, std::move(f), std::move(args)...);
  } else if constexpr (objects) {
    detail::at_async_with_objects(target, copier::automatic, copy_map::automatic, std::move(f), std::move(args)...);
  } else {
    (detail::check_value<Args>(), ...);
    using handler = detail::async_handler<F, Args...>;
    if constexpr (detail::is_always_checked<F, Args...>())
      detail::check_addresses(target, target.called_at(), f, args...);
    typename handler::payload const m{f, detail::make_pack<Args...>(args...)};
    detail::worker& w = *detail::self;
    std::byte* const room =
        detail::append_to_open(w, w.async_places, target, detail::handler_entry<handler>::id(), sizeof m);
    if (room != nullptr) [[likely]]
      std::memcpy(room, &m, sizeof m);
    else
      detail::append_async_looked_at<F, Args...>(target, target.called_at(), f, args...);
  }
}

/// The same, with a copier for this call. A graph is copied before the call returns, as in X10: if it fits no message,
/// to memory of this place. at_async_copied() saves that copy.
template <class F, class... Args>
  requires std::invocable<F&, Args...>
void at_async(place_argument target, copier by, F f, Args... args) {
  detail::check_callable<F>();
  static_assert((detail::message_part<Args> && ...), "at_async: arguments must be trivially copyable");
  detail::at_async_with_objects(target, by, copy_map::automatic, std::move(f), std::move(args)...);
}

/// at_async() with a graph that is read where it is: awaits the end of that, which is before the end of the call. The
/// source must not change until then. Throws what prevents the call from beginning.
template <class F, class... Args>
  requires std::invocable<F&, Args...>
[[nodiscard]] task<void> at_async_copied(place_argument target, copier by, F f, Args... args) {
  detail::check_callable<F>();
  static_assert((detail::message_part<Args> && ...), "at_async_copied: arguments must be trivially copyable");
  static_assert(detail::needs_objects<void, Args...>(), "at_async_copied: no argument leads to objects: at_async");
  return detail::at_async_copied_with_objects(target, by, std::move(f), std::move(args)...);
}
template <class F, class... Args>
  requires std::invocable<F&, Args...>
[[nodiscard]] task<void> at_async_copied(place_argument target, F f, Args... args) {
  return at_async_copied(target, copier::automatic, std::move(f), std::move(args)...);
}

}  // namespace tess

#include "tess/detail/objects/at_objects.hpp"
#include "tess/detail/objects/at_wire.hpp"
