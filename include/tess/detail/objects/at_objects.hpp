// at_objects: calls whose arguments or result lead to objects: the graph is sent with the call, or ahead of it.
//
//   The arguments are the root block of one graph, so that objects shared between them stay shared. A graph that fits
//   goes inside the message, with pointers relative to its start, and costs no extra round trip. A larger one is sent
//   ahead by a task of the runtime, the carrier, which then sends the call. The copier decides how
//   (src/runtime/graphs/copier.hpp).
//
//   The call's scope owns what arrives; it is freed with the last task of the scope.
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "tess/at.hpp"
#include "tess/detail/objects/sent_graph.hpp"
#include "tess/object.hpp"

namespace tess::detail {

/// Arguments or a result, as the root block of a graph.
template <class... Values>
struct alignas(8) root_values {
  pack<Values...> values;
};

template <class T>
consteval bool leads_to_objects() {
  if constexpr (std::is_pointer_v<T>)
    return true;
  else if constexpr (is_a<T, array> || std::is_same_v<T, string> || is_a<T, one_of>)
    return true;
  else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !is_scalar_data<T> &&
                     std::is_trivially_copyable_v<T> && count_members<T>() <= members_max)
    return derived_slots<T>() != 0;
  else
    return false;
}

template <class T>
struct result_object {
  static constexpr bool is_graph = false;
  using returned = T;
};
template <class U>
struct result_object<U*> {
  static constexpr bool is_graph = true;
  using type = U;
  using returned = graph<U>;
};
template <class U>
struct result_object<graph<U>> : result_object<U*> {};

/// The reply of an `at` whose result is a graph.
void reply_graph(place_id target, std::uint64_t slot, bool left_tasks, outgoing_graph const& graph) noexcept;

[[nodiscard]] outgoing_graph outgoing_result(void const* root, copier by);

/// Replies with a graph that must be sent ahead.
[[nodiscard]] task<void> reply_graph_later(place_id target, std::uint64_t slot, call_scope* scope,
                                           outgoing_graph graph);
/// An async call counts for the finish of its run from the start.
[[nodiscard]] call_scope* enter_async_call(finish_scope* run);
void fail_call(call_scope* scope, std::exception_ptr thrown) noexcept;
void set_call_objects(call_scope* scope, region* owner) noexcept;

template <class F, class... Args>
struct objects_call {
  using traits = at_result<F, Args...>;
  using result = typename traits::result;
  static constexpr bool returns_graph = result_object<result>::is_graph;
  using roots = root_values<Args...>;

  static type_record const& root_type() { return type_entry<roots>::record; }

  /// Calls f and returns its result unchanged, because it may be a task.
  static decltype(auto) apply(F& f, arrived_graph const& graph) {
    return apply_pack(f, reinterpret_cast<roots*>(graph.root)->values);
  }
};

template <class F, class... Args>
struct objects_handler : objects_call<F, Args...> {
  using call_of = objects_call<F, Args...>;
  using result = typename call_of::result;
  struct payload {
    std::uint64_t slot;
    std::uint64_t finish_key;
    sent_graph graph;
    copier by;
    F f;
  };
  static constexpr std::uint32_t payload_bytes = sizeof(payload);
  static constexpr std::uint16_t payload_alignment = alignof(payload);
  static constexpr bool variable = true;
  static_assert(sizeof(payload) <= message_bytes_max, "at: the callable exceeds 2 KiB; pass a pointer to an object");

  static void invoke(message_context& context, std::byte const* bytes, std::size_t count) {
    alignas(payload) std::byte copy[sizeof(payload)];
    std::memcpy(copy, bytes, sizeof(payload));
    payload& m = *reinterpret_cast<payload*>(copy);
    call_scope* scope = nullptr;
    arrived_graph graph;
    try {
      // This comes first, because a graph that was sent ahead has no other owner.
      graph = receive_graph(m.graph, bytes + sizeof(payload), count - sizeof(payload), call_of::root_type());
      scope = enter_call(m.finish_key, context.source);
      set_call_objects(scope, graph.owner);
      if constexpr (call_of::traits::is_task)
        start_in_scope(serve(m, graph, context.source, scope), as_scope(scope));
      else
        call(m, graph, context.source, scope);
    } catch (...) {
      reply_exception(context.source, m.slot, false, std::current_exception());
      if (scope != nullptr)
        end_call(scope);
      else if (graph.owner != nullptr)
        region::end(graph.owner);
    }
  }

 private:
  /// Replies now, or by a task that takes over the call's count.
  static void answer(payload const& m, place_id source, call_scope* scope, void const* root) {
    outgoing_graph out = outgoing_result(root, m.by);
    if (out.fits_message(source)) {
      reply_graph(source, m.slot, leave_call(scope), out);
      end_call(scope);
    } else {
      start_in_scope(reply_graph_later(source, m.slot, scope, std::move(out)), as_scope(scope));
    }
  }
  static void call(payload& m, arrived_graph const& graph, place_id source, call_scope* scope) noexcept {
    std::exception_ptr thrown;
    {
      handler_frame const frame(as_scope(scope));
      try {
        function_timer time(source != self->place);
        if constexpr (std::is_void_v<result>) {
          call_of::apply(m.f, graph);
        } else {
          result const r = call_of::apply(m.f, graph);
          time.end();
          if constexpr (call_of::returns_graph) {
            answer(m, source, scope, static_cast<typename result_object<result>::type*>(r));
            return;
          } else {
            reply_value(source, m.slot, leave_call(scope), &r, sizeof r);
          }
        }
      } catch (...) {
        thrown = std::current_exception();
      }
      if (!thrown) {
        if constexpr (std::is_void_v<result>) reply_value(source, m.slot, leave_call(scope), nullptr, 0);
      }
    }
    if (thrown) reply_exception(source, m.slot, leave_call(scope), std::move(thrown));
    end_call(scope);
  }

  static task<void> serve(payload m, arrived_graph graph, place_id source, call_scope* scope) {
    std::exception_ptr thrown;
    try {
      function_timer time(source != self->place);
      if constexpr (std::is_void_v<result>) {
        co_await call_of::apply(m.f, graph);
        time.end();
        reply_value(source, m.slot, leave_call(scope), nullptr, 0);
      } else {
        result const r = co_await call_of::apply(m.f, graph);
        time.end();
        if constexpr (call_of::returns_graph)
          co_await answer_from_task(m, source, scope, static_cast<typename result_object<result>::type*>(r));
        else
          reply_value(source, m.slot, leave_call(scope), &r, sizeof r);
      }
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown) reply_exception(source, m.slot, leave_call(scope), std::move(thrown));
  }
  static task<void> answer_from_task(payload const& m, place_id source, call_scope* scope, void const* root) {
    outgoing_graph out = outgoing_result(root, m.by);
    if (out.fits_message(source))
      reply_graph(source, m.slot, leave_call(scope), out);
    else
      co_await reply_graph_later(source, m.slot, scope, std::move(out));
  }
};

/// Sends the graph, then the call.
template <class Handler>
task<void> carry_call(place_id target, outgoing_graph graph, typename Handler::payload m) {
  std::exception_ptr failed;
  try {
    if (co_await send_by_accelerators(graph, target, handler_entry<Handler>::id(), m, m.graph)) co_return;
    m.graph = co_await graph.send_ahead(target);
    send_request(target, handler_entry<Handler>::record, handler_entry<Handler>::id(),
                 reinterpret_cast<std::byte const*>(&m), sizeof m);
  } catch (...) {
    failed = std::current_exception();
    graph.withdraw(target);
  }
  if (failed) reply_exception(self->place, m.slot, false, std::move(failed));
}

/// Starts a task of the runtime that counts for the caller's finish.
inline void start_carrier(task<void> t) {
  finish_scope* const scope = self->current->scope;
  scope->add(1);
  start_in_scope(std::move(t), scope);
}

[[nodiscard]] copier copier_of_run() noexcept;

template <class F, class... Args>
auto at_with_objects(place_argument to, copier by, copy_map map, F f, Args... args) {
  using handler = objects_handler<F, Args...>;
  using result = typename handler::result;
  using returned = typename result_object<result>::returned;
  if constexpr (!handler::returns_graph && !std::is_void_v<result>) {
    static_assert(std::is_trivially_copyable_v<result> && !leads_to_objects<result>(),
                  "at: return data, or a pointer to an object");
    static_assert(sizeof(result) <= message_bytes_max, "at: the result exceeds 2 KiB; return a pointer to an object");
  }
  place_id const target = to;
  check_place(target, "at");
  check_addresses(target, to.called_at(), f);
  std::uint64_t const called = time_of_call<F>(target);
  if (by == copier::automatic) by = copier_of_run();
  typename handler::roots const roots{make_pack<Args...>(std::move(args)...)};
  outgoing_graph graph(&roots, handler::root_type(), by, map);
  constexpr std::size_t room =
      handler::returns_graph ? 0 : result_size<std::conditional_t<handler::returns_graph, void, result>>();
  at_slot* const slot = make_at_slot(room);
  slot->called = called;
  typename handler::payload m{to_global(slot), self->current->scope->key_to_send(), {}, by, std::move(f)};
  try {
    if (graph.fits_message(target, sizeof m)) {
      m.graph = graph.sent();
      built_message const message(&m, sizeof m, graph);
      send_request(target, handler_entry<handler>::record, handler_entry<handler>::id(), message.data, message.bytes);
    } else {
      start_carrier(carry_call<handler>(target, std::move(graph), std::move(m)));
    }
  } catch (...) {
    free_at_slot(slot);
    throw;
  }
  return at_call<returned>(target, slot, to.called_at());
}

template <class F, class... Args>
struct objects_async_handler : objects_call<F, Args...> {
  using call_of = objects_call<F, Args...>;
  struct payload {
    sent_graph graph;
    std::uint64_t called;  ///< The time of the call, if the statistics need it.
    F f;
  };
  static constexpr std::uint32_t payload_bytes = sizeof(payload);
  static constexpr std::uint16_t payload_alignment = alignof(payload);
  static constexpr bool variable = true;
  static_assert(sizeof(payload) <= message_bytes_max,
                "at_async: the callable exceeds 2 KiB; pass a pointer to an object");

  static void invoke(message_context& context, std::byte const* bytes, std::size_t count) {
    alignas(payload) std::byte copy[sizeof(payload)];
    std::memcpy(copy, bytes, sizeof(payload));
    payload& m = *reinterpret_cast<payload*>(copy);
    call_scope* scope = nullptr;
    arrived_graph graph;
    try {
      graph = receive_graph(m.graph, bytes + sizeof(payload), count - sizeof(payload), call_of::root_type());
      scope = enter_async_call(context.scope);
      set_call_objects(scope, graph.owner);
      if constexpr (call_of::traits::is_task) {
        start_async_in_scope(serve(m, graph), as_scope(scope));
        return;
      } else {
        handler_frame const frame(as_scope(scope));
        function_timer const time(m.called != 0, m.called);
        static_cast<void>(call_of::apply(m.f, graph));
      }
    } catch (...) {
      if (scope == nullptr)
        context.scope->fail(std::current_exception());
      else
        fail_call(scope, std::current_exception());
    }
    if (scope != nullptr)
      end_call(scope);
    else if (graph.owner != nullptr)
      region::end(graph.owner);
  }

 private:
  static task<void> serve(payload m, arrived_graph graph) {
    function_timer const time(m.called != 0, m.called);
    static_cast<void>(co_await call_of::apply(m.f, graph));
  }
};

template <class Handler>
void append_with_graph(place_id target, outgoing_graph const& graph, typename Handler::payload const& m) {
  std::size_t const bytes = sizeof m + graph.inline_bytes();
  std::byte* const room = append_async(target, handler_entry<Handler>::id(), bytes);
  std::memcpy(room, &m, sizeof m);
  graph.write_inline(room + sizeof m);
}

template <class Handler>
task<void> carry_async(place_id target, outgoing_graph graph, typename Handler::payload m) {
  try {
    if (co_await send_by_accelerators(graph, target, handler_entry<Handler>::id(), m, m.graph, self->current->scope))
      co_return;
    m.graph = co_await graph.send_ahead(target);
    std::byte* const room = append_async(target, handler_entry<Handler>::id(), sizeof m);
    std::memcpy(room, &m, sizeof m);
  } catch (...) {
    graph.withdraw(target);
    throw;
  }
}

template <class F, class... Args>
void at_async_with_objects(place_argument to, copier by, copy_map map, F f, Args... args) {
  using handler = objects_async_handler<F, Args...>;
  place_id const target = to;
  check_place(target, "at_async");
  check_addresses(target, to.called_at(), f);
  std::uint64_t const called = time_of_async_call<F>(target);
  if (by == copier::automatic) by = copier_of_run();
  typename handler::roots const roots{make_pack<Args...>(std::move(args)...)};
  outgoing_graph graph(&roots, handler::root_type(), by, map);
  typename handler::payload m{{}, called, std::move(f)};
  if (graph.fits_message(target, sizeof m)) {
    m.graph = graph.sent();
    append_with_graph<handler>(target, graph, m);
  } else {
    graph.snapshot();
    start_carrier(carry_async<handler>(target, std::move(graph), std::move(m)));
  }
}

template <class F, class... Args>
task<void> at_async_copied_with_objects(place_argument to, copier by, F f, Args... args) {
  using handler = objects_async_handler<F, Args...>;
  place_id const target = to;
  check_place(target, "at_async_copied");
  check_addresses(target, to.called_at(), f);
  std::uint64_t const called = time_of_async_call<F>(target);
  if (by == copier::automatic) by = copier_of_run();
  typename handler::roots const roots{make_pack<Args...>(std::move(args)...)};
  outgoing_graph graph(&roots, handler::root_type(), by, copy_map::automatic);
  typename handler::payload m{{}, called, std::move(f)};
  if (graph.fits_message(target, sizeof m)) {
    m.graph = graph.sent();
    append_with_graph<handler>(target, graph, m);
    co_return;
  }
  co_await carry_async<handler>(target, std::move(graph), std::move(m));
}

}  // namespace tess::detail
