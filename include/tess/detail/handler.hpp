// handler: the target of a message: a constant record per callable type, in the binary's section `tess_handlers`.
//
//   Every place runs the same binary, so the index of a record in the section identifies it everywhere, with no
//   registration and no initialisation order. A shared object has its own section: a handler's id is {object, index};
//   object 0 is the program. The receiver checks object, index and payload size (docs/internals/contract.md, 6).
//
//   Symbols of this object's records are hidden: the loader must not replace them by those of another object.
//
// Errors  a shared object that was loaded after the job began cannot send: id() throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tess/detail/objects/object_type.hpp"
#include "tess/detail/objects/shared_object.hpp"
#include "tess/detail/platform.hpp"
#include "tess/error.hpp"

namespace tess::detail {

/// Identifies a handler in messages.
struct handler_id {
  std::uint16_t index;   ///< of its record
  std::uint16_t object;  ///< its shared object; 0: the program
};

/// The source of a message.
struct message_context {
  place_id source;
  class finish_scope* scope;  ///< of the enclosing run of at_async messages; null for others
};

struct handler_record {
  void (*invoke)(message_context&, std::byte const* payload, std::size_t bytes);
  /// The same for the record at `first` and those with equal headers that follow it before `end`; returns where the
  /// next one begins. May be null.
  std::byte const* (*invoke_run)(message_context&, std::byte const* first, std::byte const* end);
  std::uint32_t bytes;      ///< payload size; the minimum if `variable`
  std::uint16_t alignment;  ///< of the payload's type, for checks
  bool variable;
};

extern "C" {
// NOLINTBEGIN: the linker defines these symbols.
#if TESS_IN_SHARED_OBJECT
// Null in an object without handlers.
[[gnu::weak, gnu::visibility("hidden")]] extern handler_record const __start_tess_handlers[];
[[gnu::weak, gnu::visibility("hidden")]] extern handler_record const __stop_tess_handlers[];
#else
extern handler_record const __start_tess_handlers[];
extern handler_record const __stop_tess_handlers[];
#endif
// NOLINTEND
}

#if TESS_IN_SHARED_OBJECT
/// Registers the object that contains this code, once, when it is loaded.
struct [[gnu::visibility("hidden")]] entered_object : shared_object {
  entered_object() noexcept
      : shared_object{__start_tess_handlers, __stop_tess_handlers, __start_tess_types, __stop_tess_types} {
    enter_object(*this);
  }
};
[[gnu::visibility("hidden")]] inline entered_object this_object;
#endif

/// Null unless the handler can be called for many messages at once.
template <class Handler>
constexpr auto invoke_run_of() noexcept {
  if constexpr (requires { &Handler::invoke_run; })
    return &Handler::invoke_run;
  else
    return nullptr;
}

/// Gives `Handler` its record. Handler: static invoke(context, payload, bytes), payload_bytes, payload_alignment,
/// variable; it may have a static invoke_run(context, first, end).
template <class Handler>
struct handler_entry {
  [[gnu::section("tess_handlers"), gnu::used, gnu::retain,
    gnu::visibility("hidden")]] static constinit inline handler_record const record{
      &Handler::invoke, invoke_run_of<Handler>(), Handler::payload_bytes, Handler::payload_alignment,
      Handler::variable};

  static handler_id id() noexcept(!TESS_IN_SHARED_OBJECT) {
    auto const index = static_cast<std::uint16_t>(&record - __start_tess_handlers);
#if TESS_IN_SHARED_OBJECT
    if (this_object.number == shared_object::unnumbered) [[unlikely]]
      refuse_late_object(this_object);
    return {index, this_object.number};
#else
    return {index, 0};
#endif
  }
};

/// The index of a type of objects, as stored in headers.
inline std::uint32_t type_index_of(type_record const& record) noexcept(!TESS_IN_SHARED_OBJECT) {
  auto const index = static_cast<std::uint32_t>(&record - __start_tess_types);
#if TESS_IN_SHARED_OBJECT
  if (this_object.number == shared_object::unnumbered) [[unlikely]]
    refuse_late_object(this_object);
  return index | std::uint32_t{this_object.number} << type_object_shift;
#else
  return index;
#endif
}

/// Trivially copyable callables and arguments travel as bytes.
template <class T>
concept message_part = std::is_trivially_copyable_v<T>;

/// A trivially copyable tuple, which std::tuple is not.
template <class... Parts>
struct pack {};
template <class Last>
struct pack<Last> {
  Last head;
};
template <class Head, class... Tail>
  requires(sizeof...(Tail) != 0)
struct pack<Head, Tail...> {
  Head head;
  pack<Tail...> tail;
};

template <class... Parts>
pack<Parts...> make_pack(Parts... parts);
template <>
inline pack<> make_pack() {
  return {};
}
template <class Head, class... Tail>
pack<Head, Tail...> make_pack(Head head, Tail... tail) {
  if constexpr (sizeof...(Tail) == 0)
    return {std::move(head)};
  else
    return {std::move(head), make_pack<Tail...>(std::move(tail)...)};
}

template <class F>
decltype(auto) apply_pack(F& f, pack<>&) {
  return f();
}
template <class F, class Head, class... Tail, class... Done>
decltype(auto) apply_pack(F& f, pack<Head, Tail...>& p, Done&... done) {
  if constexpr (sizeof...(Tail) == 0)
    return f(std::move(done)..., std::move(p.head));
  else
    return apply_pack(f, p.tail, done..., p.head);
}

}  // namespace tess::detail
