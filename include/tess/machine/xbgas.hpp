// xbgas: extended addresses for standard compilers: accesses to words of other nodes by one instruction each, including
// remote atomics.
//
//   An address is {object, address}. Object 0 is the own node, where it is an ordinary address; any other object is the
//   tile that the look-aside buffer has for it, and the address is one of that tile's map. fill() sets objects; by
//   convention the object of a place is place + 1.
//
//     fill(place + 1, tile);
//     std::uint64_t const before = fetch_add(place + 1, &counter, std::uint64_t{1});
//
//   Compilers do not know extension registers: each function sets e10, which pairs with the address register, and uses
//   it. So an operation is two instructions, the first an addition.
//
// Units     words of 1 to 8 bytes, aligned; for atomics 4 or 8.
// Errors    traps: no such object, a misaligned address, or an address that the node does not have.
// Cost      object 0: that of the standard instruction. Otherwise the hart waits for the answer.
// Threads   any.
// Source    xBGAS 2.0.0 and its remote atomics, as in docs/machine/rae.md; RAE, section 3.
#pragma once

#include <cstdint>
#include <tess/machine/registers.hpp>
#include <type_traits>

namespace tess::machine::xbgas {

/// Maps an object to a tile, for the harts of this tile.
inline void fill(std::uint64_t object, std::uint64_t tile) {
  std::uint64_t const unit =
      registers::own_devices + registers::unit_bytes * static_cast<std::uint64_t>(registers::unit::extended);
  *reinterpret_cast<std::uint64_t volatile*>(unit + object * sizeof(std::uint64_t)) = tile + 1;
  asm volatile("fence rw, rw" ::: "memory");
}

namespace detail {
template <class T>
inline constexpr bool is_word = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
}  // namespace detail

/// e10 is the object, x10 the address: the instruction that sets the object of an address.
#define TESS_XBGAS_OBJECT ".insn i 0x7b, 5, x10, %[object], 0\n"

/// Loads an integer of 1 to 8 bytes.
template <class T>
T get(std::uint64_t object, T const* address) {
  static_assert(std::is_integral_v<T>);
  register T const* at asm("a0") = address;
  T value;
  if constexpr (sizeof(T) == 8)
    asm volatile(TESS_XBGAS_OBJECT ".insn i 0x77, 3, %[value], 0(%[at])"
                 : [value] "=r"(value)
                 : [at] "r"(at), [object] "r"(object)
                 : "memory");
  else if constexpr (sizeof(T) == 4)
    asm volatile(TESS_XBGAS_OBJECT ".insn i 0x77, 2, %[value], 0(%[at])"
                 : [value] "=r"(value)
                 : [at] "r"(at), [object] "r"(object)
                 : "memory");
  else if constexpr (sizeof(T) == 2)
    asm volatile(TESS_XBGAS_OBJECT ".insn i 0x77, 1, %[value], 0(%[at])"
                 : [value] "=r"(value)
                 : [at] "r"(at), [object] "r"(object)
                 : "memory");
  else
    asm volatile(TESS_XBGAS_OBJECT ".insn i 0x77, 0, %[value], 0(%[at])"
                 : [value] "=r"(value)
                 : [at] "r"(at), [object] "r"(object)
                 : "memory");
  return value;
}

/// Stores an integer of 1 to 8 bytes.
template <class T>
void put(std::uint64_t object, T* address, std::type_identity_t<T> value) {
  static_assert(std::is_integral_v<T>);
  register T* at asm("a0") = address;
  if constexpr (sizeof(T) == 8)
    asm volatile(
        TESS_XBGAS_OBJECT ".insn s 0x7b, 3, %[value], 0(%[at])" ::[at] "r"(at), [object] "r"(object), [value] "r"(value)
        : "memory");
  else if constexpr (sizeof(T) == 4)
    asm volatile(
        TESS_XBGAS_OBJECT ".insn s 0x7b, 2, %[value], 0(%[at])" ::[at] "r"(at), [object] "r"(object), [value] "r"(value)
        : "memory");
  else if constexpr (sizeof(T) == 2)
    asm volatile(
        TESS_XBGAS_OBJECT ".insn s 0x7b, 1, %[value], 0(%[at])" ::[at] "r"(at), [object] "r"(object), [value] "r"(value)
        : "memory");
  else
    asm volatile(
        TESS_XBGAS_OBJECT ".insn s 0x7b, 0, %[value], 0(%[at])" ::[at] "r"(at), [object] "r"(object), [value] "r"(value)
        : "memory");
}

/// An atomic operation of 4 or 8 bytes that returns the old value.
#define TESS_XBGAS_ATOMIC(name, funct7)                                                        \
  template <class T>                                                                           \
  T name(std::uint64_t object, T* address, std::type_identity_t<T> operand) {                  \
    static_assert(detail::is_word<T>);                                                         \
    register T* at asm("a0") = address;                                                        \
    T before;                                                                                  \
    if constexpr (sizeof(T) == 8)                                                              \
      asm volatile(TESS_XBGAS_OBJECT ".insn r 0x6b, 3, " #funct7 ", %[before], %[at], %[with]" \
                   : [before] "=r"(before)                                                     \
                   : [at] "r"(at), [object] "r"(object), [with] "r"(operand)                   \
                   : "memory");                                                                \
    else                                                                                       \
      asm volatile(TESS_XBGAS_OBJECT ".insn r 0x6b, 2, " #funct7 ", %[before], %[at], %[with]" \
                   : [before] "=r"(before)                                                     \
                   : [at] "r"(at), [object] "r"(object), [with] "r"(operand)                   \
                   : "memory");                                                                \
    return before;                                                                             \
  }

/// Atomic operations on integers of 4 or 8 bytes; each returns the old value.
TESS_XBGAS_ATOMIC(fetch_add, 0x00)
TESS_XBGAS_ATOMIC(swap, 0x04)
TESS_XBGAS_ATOMIC(fetch_xor, 0x10)
TESS_XBGAS_ATOMIC(fetch_or, 0x20)
TESS_XBGAS_ATOMIC(fetch_and, 0x30)
TESS_XBGAS_ATOMIC(fetch_min, 0x40)
TESS_XBGAS_ATOMIC(fetch_max, 0x50)
TESS_XBGAS_ATOMIC(fetch_min_unsigned, 0x60)
TESS_XBGAS_ATOMIC(fetch_max_unsigned, 0x70)
#undef TESS_XBGAS_ATOMIC

/// Stores `desired` if the word equals `expected`; returns the old value.
template <class T>
T compare_swap(std::uint64_t object, T* address, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  static_assert(detail::is_word<T>);
  register T* at asm("a0") = address;
  T word = expected;
  if constexpr (sizeof(T) == 8)
    asm volatile(TESS_XBGAS_OBJECT ".insn r 0x6b, 3, 0x14, %[word], %[at], %[with]"
                 : [word] "+&r"(word)
                 : [at] "r"(at), [object] "r"(object), [with] "r"(desired)
                 : "memory");
  else
    asm volatile(TESS_XBGAS_OBJECT ".insn r 0x6b, 2, 0x14, %[word], %[at], %[with]"
                 : [word] "+&r"(word)
                 : [at] "r"(at), [object] "r"(object), [with] "r"(desired)
                 : "memory");
  return word;
}
#undef TESS_XBGAS_OBJECT

}  // namespace tess::machine::xbgas
