// handler: what a message calls: one constant record per callable type, in the section `tess_handlers` of the binary.
//
//   Every place runs the same binary, so the index of a record in the section names it everywhere; no registration,
//   no initialisation order. The receiver checks index and payload size before the call (docs/contract.md, 6).
//
// Errors  code in a shared object has a section of its own and is refused at compile time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tess/error.hpp"

#if defined(__PIC__) && !defined(__PIE__)
#error \
    "tess: code with `at` cannot live in a shared object (-fPIC): compile it with -fPIE or no -f flag into the program"
#endif

namespace tess::detail {

/// Where a message came from.
struct message_context {
  place_id source;
  class finish_scope* scope;  ///< of the enclosing run of at_async messages; null for others
};

struct handler_record {
  void (*invoke)(message_context&, std::byte const* payload, std::size_t bytes);
  std::uint32_t bytes;      ///< payload size; the least one if `variable`
  std::uint16_t alignment;  ///< of the payload's type, for checks
  bool variable;
};

extern "C" {
// NOLINTBEGIN: the linker defines these.
extern handler_record const __start_tess_handlers[];
extern handler_record const __stop_tess_handlers[];
// NOLINTEND
}

/// Gives `Handler` its record. Handler: static invoke(context, payload, bytes), payload_bytes, payload_alignment,
/// variable.
template <class Handler>
struct handler_entry {
  [[gnu::section("tess_handlers"), gnu::used, gnu::retain]] static constinit inline handler_record const record{
      &Handler::invoke, Handler::payload_bytes, Handler::payload_alignment, Handler::variable};

  static std::uint16_t index() noexcept { return static_cast<std::uint16_t>(&record - __start_tess_handlers); }
};

/// Trivially copyable callables and arguments travel as their bytes.
template <class T>
concept message_part = std::is_trivially_copyable_v<T>;

/// std::tuple is not trivially copyable; this is.
template <class... Parts>
struct pack {};
template <class Head, class... Tail>
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
  return {std::move(head), make_pack<Tail...>(std::move(tail)...)};
}

template <class F, class... Done>
decltype(auto) apply_pack(F& f, pack<>&, Done&... done) {
  return f(std::move(done)...);
}
template <class F, class Head, class... Tail, class... Done>
decltype(auto) apply_pack(F& f, pack<Head, Tail...>& p, Done&... done) {
  return apply_pack(f, p.tail, done..., p.head);
}

}  // namespace tess::detail
