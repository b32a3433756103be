// xbgas_begin: non-blocking accesses to words of other nodes, by one instruction each.
//
//   begin_…() starts an operation and gives a ticket: until take() nothing of it is known, and the hart goes on. A hart
//   has `tickets` of them; no_ticket says that all are taken, and that nothing has begun. post_…() wants no answer.
//
//     ticket const begun = begin_fetch_add(place + 1, &counter, std::uint64_t{1});
//     …
//     auto const before = take<std::uint64_t>(begun);
//
//   Begun operations complete in any order, also on one word, and may pass later accesses. An operation is complete
//   when take() has returned, or after complete_all(), which is a fence. With `after_all` it begins when all earlier
//   ones are complete.
//
// Units     words of 4 or 8 bytes, aligned. Objects as in xbgas.hpp.
// Errors    traps: as there, and for an invalid ticket of this thread. If a home has no such word, take() traps; for a
//           posted operation the next begin, post or fence.
// Cost      two instructions; take() and is_done() are one.
// Threads   any. A ticket is taken by the thread that began it.
// Source    docs/machine/rae.md.
#pragma once

#include <cstdint>
#include <tess/machine/xbgas.hpp>
#include <type_traits>

namespace tess::machine::xbgas {

/// Names an operation that was begun; no_ticket if none was free.
using ticket = std::int64_t;
inline constexpr ticket no_ticket = -1;
/// Tickets of each hart; as many more operations can be posted.
inline constexpr std::int64_t tickets = 64;

/// Whether an operation begins only after all others of its hart are done.
enum class order : std::uint8_t { none, after_all };

/// True if the answer has arrived: take() does not wait.
inline bool is_done(ticket begun) {
  std::uint64_t done;
  asm volatile(".insn r 0x6b, 0, 0, %[done], %[begun], x0" : [done] "=r"(done) : [begun] "r"(begun) : "memory");
  return done != 0;
}

/// The old value of the word, of the type with which it was begun; frees the ticket.
template <class T>
T take(ticket begun) {
  static_assert(detail::is_word<T>);
  T before;
  asm volatile(".insn r 0x6b, 1, 0, %[before], %[begun], x0" : [before] "=r"(before) : [begun] "r"(begun) : "memory");
  return before;
}

/// Waits until all operations that this hart has begun or posted are complete.
inline void complete_all() {
  asm volatile("fence rw, rw" ::: "memory");
}

namespace detail {
template <class T>
inline constexpr int width = sizeof(T) == 4 ? 4 : 5;  // funct3
}  // namespace detail

/// The instruction that sets the object of an address.
#define TESS_XBGAS_OBJECT ".insn i 0x7b, 5, x10, %[object], 0\n"

/// Two forms of an operation: begin_NAME gives a ticket, post_NAME has no answer.
// e10 is the object, x10 the address. rl adds one to funct7.
#define TESS_XBGAS_BEGIN(name, funct7)                                                                                \
  template <class T, order Order = order::none>                                                                       \
  ticket begin_##name(std::uint64_t object, T* address, std::type_identity_t<T> operand) {                            \
    static_assert(detail::is_word<T>);                                                                                \
    register T* at asm("a0") = address;                                                                               \
    ticket begun;                                                                                                     \
    asm volatile(                                                                                                     \
        TESS_XBGAS_OBJECT ".insn r 0x6b, %[width], " #funct7 "+%[order], %[begun], %[at], %[with]"                    \
        : [begun] "=r"(begun)                                                                                         \
        : [at] "r"(at), [object] "r"(object), [with] "r"(operand), [width] "i"(detail::width<T>), [order] "i"(Order)  \
        : "memory");                                                                                                  \
    return begun;                                                                                                     \
  }                                                                                                                   \
  template <class T, order Order = order::none>                                                                       \
  void post_##name(std::uint64_t object, T* address, std::type_identity_t<T> operand) {                               \
    static_assert(detail::is_word<T>);                                                                                \
    register T* at asm("a0") = address;                                                                               \
    asm volatile(TESS_XBGAS_OBJECT ".insn r 0x6b, %[width], " #funct7 "+%[order], x0, %[at], %[with]" ::[at] "r"(at), \
                 [object] "r"(object), [with] "r"(operand), [width] "i"(detail::width<T>), [order] "i"(Order)         \
                 : "memory");                                                                                         \
  }

/// begin_NAME begins an atomic operation of 4 or 8 bytes and gives its ticket; post_NAME begins one without an answer.
TESS_XBGAS_BEGIN(fetch_add, 0x00)
TESS_XBGAS_BEGIN(swap, 0x04)
TESS_XBGAS_BEGIN(fetch_xor, 0x10)
TESS_XBGAS_BEGIN(fetch_or, 0x20)
TESS_XBGAS_BEGIN(fetch_and, 0x30)
TESS_XBGAS_BEGIN(fetch_min, 0x40)
TESS_XBGAS_BEGIN(fetch_max, 0x50)
TESS_XBGAS_BEGIN(fetch_min_unsigned, 0x60)
TESS_XBGAS_BEGIN(fetch_max_unsigned, 0x70)
#undef TESS_XBGAS_BEGIN

/// Reads the word.
template <class T, order Order = order::none>
ticket begin_get(std::uint64_t object, T const* address) {
  static_assert(detail::is_word<T>);
  register T const* at asm("a0") = address;
  ticket begun;
  asm volatile(TESS_XBGAS_OBJECT ".insn r 0x6b, %[width], 0x08+%[order], %[begun], %[at], x0"
               : [begun] "=r"(begun)
               : [at] "r"(at), [object] "r"(object), [width] "i"(detail::width<T>), [order] "i"(Order)
               : "memory");
  return begun;
}

/// Stores `desired` if the word is `expected`.
template <class T, order Order = order::none>
ticket begin_compare_swap(std::uint64_t object, T* address, std::type_identity_t<T> expected,
                          std::type_identity_t<T> desired) {
  static_assert(detail::is_word<T>);
  register T* at asm("a0") = address;
  auto begun = static_cast<ticket>(expected);
  asm volatile(
      TESS_XBGAS_OBJECT ".insn r 0x6b, %[width], 0x14+%[order], %[begun], %[at], %[with]"
      : [begun] "+&r"(begun)
      : [at] "r"(at), [object] "r"(object), [with] "r"(desired), [width] "i"(detail::width<T>), [order] "i"(Order)
      : "memory");
  return begun;
}
#undef TESS_XBGAS_OBJECT

}  // namespace tess::machine::xbgas
