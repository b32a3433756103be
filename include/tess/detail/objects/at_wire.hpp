// at_wire: calls whose arguments or result own memory: std::string, containers, tuples of them, by value.
//
//   Up to 2 KiB of arguments travel inside the message. More are put into a region of the target by a task of the
//   runtime, the carrier, which then sends the call. Results return in the same two ways. The bytes are written before
//   the call returns.
//
// Errors   the receiver refuses bytes that are malformed: the caller, or the finish of an at_async, gets tess::error.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "tess/at.hpp"
#include "tess/detail/objects/at_objects.hpp"
#include "tess/detail/objects/wire.hpp"

namespace tess::detail {

/// Values as bytes: their number, and a region of the receiver that has them; null: they follow in the message.
struct sent_values {
  std::uint64_t region;
  std::uint64_t bytes;
};

/// Values that wait to be sent.
struct value_bytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t bytes = 0;
};

/// Brings the bytes to a region of `target`. If that fails, nothing is left there.
[[nodiscard]] task<sent_values> send_values_ahead(place_id target, std::span<std::byte const> values);
/// No call will use what was sent ahead: the target frees it eventually.
void withdraw_values(place_id target, sent_values const& sent) noexcept;

/// The bytes of a message that arrived; frees their region, if there is one. Throws tess::error if it is malformed.
class arrived_values {
 public:
  arrived_values(sent_values const& sent, std::byte const* inline_bytes, std::size_t inline_count);
  /// A result.
  explicit arrived_values(region* owner) noexcept;
  ~arrived_values() {
    if (owner_ != nullptr) region::end(owner_);
  }
  arrived_values(arrived_values const&) = delete;
  arrived_values& operator=(arrived_values const&) = delete;
  [[nodiscard]] wire_reader reader() const noexcept { return {data_, count_}; }

 private:
  region* owner_ = nullptr;
  std::byte const* data_;
  std::size_t count_;
};

void reply_values(place_id target, std::uint64_t slot, bool left_tasks, std::span<std::byte const> values) noexcept;
/// For values that must be sent ahead.
[[nodiscard]] task<void> reply_values_later(place_id target, std::uint64_t slot, call_scope* scope, value_bytes values);

template <class T>
value_bytes to_value_bytes(T const& value) {
  wire_writer size;
  wire_put(size, value);
  value_bytes made{std::make_unique_for_overwrite<std::byte[]>(size.bytes), size.bytes};
  wire_writer w{made.data.get()};
  wire_put(w, value);
  return made;
}

template <class R>
R take_result(region* arrived) {
  arrived_values const values(arrived);
  wire_reader r = values.reader();
  return wire_take<R>(r);
}

template <class F, class... Args>
struct values_call {
  using traits = at_result<F, Args...>;
  using result = typename traits::result;
  using arguments = pack<Args...>;

  static arguments take(sent_values const& sent, std::byte const* bytes, std::size_t count) {
    arrived_values const values(sent, bytes, count);
    wire_reader r = values.reader();
    arguments made = pack_reader<arguments>::take(r);
    r.expect_end();
    return made;
  }
};

template <class F, class... Args>
struct values_handler : values_call<F, Args...> {
  using call_of = values_call<F, Args...>;
  using result = typename call_of::result;
  using arguments = typename call_of::arguments;
  struct payload {
    std::uint64_t slot;
    std::uint64_t finish_key;
    sent_values values;
    F f;
  };
  static constexpr std::uint32_t payload_bytes = sizeof(payload);
  static constexpr std::uint16_t payload_alignment = alignof(payload);
  static constexpr bool variable = true;
  static_assert(sizeof(payload) <= message_bytes_max, "at: the callable exceeds 2 KiB; pass its captures as arguments");

  static void invoke(message_context& context, std::byte const* bytes, std::size_t count) {
    alignas(payload) std::byte copy[sizeof(payload)];
    std::memcpy(copy, bytes, sizeof(payload));
    payload& m = *reinterpret_cast<payload*>(copy);
    call_scope* scope = nullptr;
    try {
      arguments values = call_of::take(m.values, bytes + sizeof(payload), count - sizeof(payload));
      scope = enter_call(m.finish_key, context.source);
      if constexpr (call_of::traits::is_task)
        start_in_scope(serve(m, std::move(values), context.source, scope), as_scope(scope));
      else
        call(m, values, context.source, scope);
    } catch (...) {
      reply_exception(context.source, m.slot, false, std::current_exception());
      if (scope != nullptr) end_call(scope);
    }
  }

 private:
  static void call(payload& m, arguments& values, place_id source, call_scope* scope) noexcept {
    std::exception_ptr thrown;
    {
      handler_frame const frame(as_scope(scope));
      try {
        function_timer time(source != self->place);
        if constexpr (std::is_void_v<result>) {
          apply_pack(m.f, values);
        } else if constexpr (std::is_trivially_copyable_v<result>) {
          result const r = apply_pack(m.f, values);
          time.end();
          reply_value(source, m.slot, leave_call(scope), &r, sizeof r);
        } else {
          value_bytes r = to_value_bytes<result>(apply_pack(m.f, values));
          time.end();
          if (r.bytes > message_bytes_max && source != self->place) {
            // The task takes over the call's count.
            start_in_scope(reply_values_later(source, m.slot, scope, std::move(r)), as_scope(scope));
            return;
          }
          reply_values(source, m.slot, leave_call(scope), {r.data.get(), r.bytes});
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

  static task<void> serve(payload m, arguments values, place_id source, call_scope* scope) {
    std::exception_ptr thrown;
    try {
      function_timer time(source != self->place);
      if constexpr (std::is_void_v<result>) {
        co_await apply_pack(m.f, values);
        time.end();
        reply_value(source, m.slot, leave_call(scope), nullptr, 0);
      } else if constexpr (std::is_trivially_copyable_v<result>) {
        result const r = co_await apply_pack(m.f, values);
        time.end();
        reply_value(source, m.slot, leave_call(scope), &r, sizeof r);
      } else {
        value_bytes r = to_value_bytes<result>(co_await apply_pack(m.f, values));
        time.end();
        if (r.bytes > message_bytes_max && source != self->place)
          co_await reply_values_later(source, m.slot, scope, std::move(r));
        else
          reply_values(source, m.slot, leave_call(scope), {r.data.get(), r.bytes});
      }
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown) reply_exception(source, m.slot, leave_call(scope), std::move(thrown));
  }
};

template <class F, class... Args>
struct values_async_handler : values_call<F, Args...> {
  using call_of = values_call<F, Args...>;
  using arguments = typename call_of::arguments;
  struct payload {
    sent_values values;
    F f;
  };
  static constexpr std::uint32_t payload_bytes = sizeof(payload);
  static constexpr std::uint16_t payload_alignment = alignof(payload);
  static constexpr bool variable = true;
  static_assert(sizeof(payload) <= message_bytes_max,
                "at_async: the callable exceeds 2 KiB; pass its captures as arguments");

  static void invoke(message_context& context, std::byte const* bytes, std::size_t count) {
    alignas(payload) std::byte copy[sizeof(payload)];
    std::memcpy(copy, bytes, sizeof(payload));
    payload& m = *reinterpret_cast<payload*>(copy);
    try {
      arguments values = call_of::take(m.values, bytes + sizeof(payload), count - sizeof(payload));
      if constexpr (call_of::traits::is_task) {
        task<void> t = serve(m, std::move(values));
        // The run's scope counts it as one; final_suspend subtracts it.
        context.scope->add(1);
        start_async_in_scope(std::move(t), context.scope);
      } else {
        static_cast<void>(apply_pack(m.f, values));
      }
    } catch (...) {
      context.scope->fail(std::current_exception());
    }
  }

 private:
  static task<void> serve(payload m, arguments values) { static_cast<void>(co_await apply_pack(m.f, values)); }
};

/// Sends the values, then the call.
template <class Handler>
task<void> carry_values(place_id target, value_bytes values, typename Handler::payload m) {
  std::exception_ptr failed;
  try {
    m.values = co_await send_values_ahead(target, {values.data.get(), values.bytes});
    send_request(target, handler_entry<Handler>::record, handler_entry<Handler>::id(),
                 reinterpret_cast<std::byte const*>(&m), sizeof m);
  } catch (...) {
    failed = std::current_exception();
    withdraw_values(target, m.values);
  }
  if (failed) reply_exception(self->place, m.slot, false, std::move(failed));
}
template <class Handler>
task<void> carry_values_async(place_id target, value_bytes values, typename Handler::payload m) {
  try {
    m.values = co_await send_values_ahead(target, {values.data.get(), values.bytes});
    std::byte* const room = append_async(target, handler_entry<Handler>::id(), sizeof m);
    std::memcpy(room, &m, sizeof m);
  } catch (...) {
    withdraw_values(target, m.values);
    throw;
  }
}

/// The arguments as bytes, for a carrier.
template <class... Args>
value_bytes pack_bytes(pack<Args...> const& arguments, std::size_t bytes) {
  value_bytes made{std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
  wire_writer w{made.data.get()};
  put_pack(w, arguments);
  return made;
}

template <class F, class... Args>
auto at_with_values(place_argument to, F f, Args... args) {
  using handler = values_handler<F, Args...>;
  using result = typename handler::result;
  place_id const target = to;
  check_place(target, "at");
  check_addresses(target, to.called_at(), f);
  std::uint64_t const called = time_of_call<F>(target);
  pack<Args...> const arguments = make_pack<Args...>(std::move(args)...);
  wire_writer size;
  put_pack(size, arguments);
  constexpr std::size_t room = [] {
    if constexpr (!std::is_void_v<result> && !std::is_trivially_copyable_v<result>)
      return std::size_t{0};
    else
      return result_size<result>();
  }();
  static_assert(room <= message_bytes_max, "at: the result exceeds 2 KiB; return a std::vector or std::unique_ptr");
  at_slot* const slot = make_at_slot(room);
  slot->called = called;
  using payload = typename handler::payload;
  payload m{to_global(slot), self->current->scope->key_to_send(), {0, size.bytes}, std::move(f)};
  try {
    if (sizeof m + size.bytes <= message_bytes_max) {
      alignas(payload) std::byte message[message_bytes_max];
      std::memcpy(message, &m, sizeof m);
      wire_writer w{message + sizeof m};
      put_pack(w, arguments);
      send_request(target, handler_entry<handler>::record, handler_entry<handler>::id(), message,
                   sizeof m + size.bytes);
    } else {
      start_carrier(carry_values<handler>(target, pack_bytes(arguments, size.bytes), std::move(m)));
    }
  } catch (...) {
    free_at_slot(slot);
    throw;
  }
  return at_call<result>(target, slot, to.called_at());
}

template <class F, class... Args>
void at_async_with_values(place_argument to, F f, Args... args) {
  using handler = values_async_handler<F, Args...>;
  place_id const target = to;
  check_place(target, "at_async");
  check_addresses(target, to.called_at(), f);
  pack<Args...> const arguments = make_pack<Args...>(std::move(args)...);
  wire_writer size;
  put_pack(size, arguments);
  typename handler::payload m{{0, size.bytes}, std::move(f)};
  if (sizeof m + size.bytes <= message_bytes_max) {
    std::byte* const room = append_async(target, handler_entry<handler>::id(), sizeof m + size.bytes);
    std::memcpy(room, &m, sizeof m);
    wire_writer w{room + sizeof m};
    put_pack(w, arguments);
  } else {
    start_carrier(carry_values_async<handler>(target, pack_bytes(arguments, size.bytes), std::move(m)));
  }
}

}  // namespace tess::detail
