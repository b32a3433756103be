// shmem_words: words and atomics of OpenSHMEM 1.5 for C++ programs with one process per PE: their names, blocking,
// without the runtime.
//
//   An address is that of an object which every PE has at the same address in its own memory: from shmem_malloc, and on
//   the machine also of static storage. How a word of another PE is reached depends on the platform:
//     on the machine    one instruction (machine/xbgas.hpp); with -DTESS_SHMEM_MESSAGES a message to the PE's own hart,
//                       a handler there, and a reply; a PE that waits serves others meanwhile
//     natively          PEs are processes of one host that shmem_init starts, as many as `tess run -n` says, and
//                       symmetric memory is shared between them
//
//     shmem_init();
//     auto* const counter = static_cast<long*>(shmem_malloc(sizeof(long)));
//     shmem_long_atomic_inc(counter, (shmem_my_pe() + 1) % shmem_n_pes());
//     shmem_barrier_all();
//
//   Every operation, including the _nbi forms and those without a result, is complete at all PEs when its call ends:
//   shmem_quiet and shmem_fence have nothing to wait for.
//
// Units     bytes; SHMEM_SYMMETRIC_SIZE is that of each PE's heap, with suffix K, M or G; 16M by default.
// Threads   the one that called shmem_init, which must precede all other calls (SHMEM_THREAD_SINGLE).
// Errors    misuse ends the program with 2 and says what, where and what is correct; on the machine a wrong address
//           or PE traps where instructions are used. A PE that ends before shmem_finalize ends all the others.
// Cost      with instructions: one or two and a round trip. With messages: docs/use/shmem.md.
// Source    OpenSHMEM 1.5, sections 9.1, 9.3, 9.5.4, 9.5.7, 9.7 and 9.11; tables 3 and 5 have the types.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__riscv)
#include <tess/machine/shmem/tile.hpp>
#else
#include <tess/detail/shmem/host.hpp>
#endif
#include <tess/detail/shmem/heap.hpp>

inline void shmem_init() {
  tess::detail::shmem::begin();
}
inline void shmem_finalize() {
  tess::detail::shmem::end();
}
[[nodiscard]] inline int shmem_my_pe() {
  return tess::detail::shmem::own.pe;
}
[[nodiscard]] inline int shmem_n_pes() {
  return tess::detail::shmem::own.pes;
}
inline void shmem_barrier_all() {
  tess::detail::shmem::barrier();
}
inline void shmem_quiet() {
  asm volatile("" ::: "memory");
}
inline void shmem_fence() {
  asm volatile("" ::: "memory");
}

/// All PEs call it with the same size, and get the same object; null: 0 bytes requested, or no room.
[[nodiscard]] inline void* shmem_malloc(std::size_t bytes) {
  void* const made = tess::detail::shmem::allocate(bytes);
  if (bytes != 0) tess::detail::shmem::barrier();
  return made;
}
inline void shmem_free(void* object) {
  tess::detail::shmem::barrier();
  tess::detail::shmem::release(object);
}

// p, g, and the standard atomics; `cond` is the value that a word must have for compare_swap to store `value`.
#define TESS_SHMEM_TYPE(NAME, T)                                                                   \
  inline void shmem_##NAME##_p(T* dest, T value, int pe) {                                         \
    (void)tess::detail::shmem::apply<tess::detail::word_op::put>(dest, value, 0, pe);              \
  }                                                                                                \
  [[nodiscard]] inline T shmem_##NAME##_g(T const* source, int pe) {                               \
    return tess::detail::shmem::apply<tess::detail::word_op::get>(source, 0, 0, pe);               \
  }                                                                                                \
  [[nodiscard]] inline T shmem_##NAME##_atomic_compare_swap(T* dest, T cond, T value, int pe) {    \
    return tess::detail::shmem::apply<tess::detail::word_op::compare_swap>(dest, value, cond, pe); \
  }                                                                                                \
  inline void shmem_##NAME##_atomic_compare_swap_nbi(T* fetch, T* dest, T cond, T value, int pe) { \
    *fetch = shmem_##NAME##_atomic_compare_swap(dest, cond, value, pe);                            \
  }                                                                                                \
  [[nodiscard]] inline T shmem_##NAME##_atomic_fetch(T const* source, int pe) {                    \
    return shmem_##NAME##_g(source, pe);                                                           \
  }                                                                                                \
  inline void shmem_##NAME##_atomic_fetch_nbi(T* fetch, T const* source, int pe) {                 \
    *fetch = shmem_##NAME##_g(source, pe);                                                         \
  }                                                                                                \
  inline void shmem_##NAME##_atomic_set(T* dest, T value, int pe) {                                \
    shmem_##NAME##_p(dest, value, pe);                                                             \
  }                                                                                                \
  TESS_SHMEM_FETCHING(NAME, T, swap, exchange)                                                     \
  TESS_SHMEM_OPERATION(NAME, T, add, fetch_add)                                                    \
  [[nodiscard]] inline T shmem_##NAME##_atomic_fetch_inc(T* dest, int pe) {                        \
    return shmem_##NAME##_atomic_fetch_add(dest, 1, pe);                                           \
  }                                                                                                \
  inline void shmem_##NAME##_atomic_fetch_inc_nbi(T* fetch, T* dest, int pe) {                     \
    *fetch = shmem_##NAME##_atomic_fetch_add(dest, 1, pe);                                         \
  }                                                                                                \
  inline void shmem_##NAME##_atomic_inc(T* dest, int pe) {                                         \
    shmem_##NAME##_atomic_add(dest, 1, pe);                                                        \
  }
// The bitwise operations exist for fewer types.
#define TESS_SHMEM_BITWISE(NAME, T)             \
  TESS_SHMEM_OPERATION(NAME, T, and, fetch_and) \
  TESS_SHMEM_OPERATION(NAME, T, or, fetch_or)   \
  TESS_SHMEM_OPERATION(NAME, T, xor, fetch_xor)
#define TESS_SHMEM_OPERATION(NAME, T, WHAT, OP)                                      \
  TESS_SHMEM_FETCHING(NAME, T, fetch_##WHAT, OP)                                     \
  inline void shmem_##NAME##_atomic_##WHAT(T* dest, T value, int pe) {               \
    (void)tess::detail::shmem::apply<tess::detail::word_op::OP>(dest, value, 0, pe); \
  }
#define TESS_SHMEM_FETCHING(NAME, T, WHAT, OP)                                         \
  [[nodiscard]] inline T shmem_##NAME##_atomic_##WHAT(T* dest, T value, int pe) {      \
    return tess::detail::shmem::apply<tess::detail::word_op::OP>(dest, value, 0, pe);  \
  }                                                                                    \
  inline void shmem_##NAME##_atomic_##WHAT##_nbi(T* fetch, T* dest, T value, int pe) { \
    *fetch = shmem_##NAME##_atomic_##WHAT(dest, value, pe);                            \
  }

TESS_SHMEM_TYPE(int, int)
TESS_SHMEM_TYPE(long, long)
TESS_SHMEM_TYPE(longlong, long long)
TESS_SHMEM_TYPE(uint, unsigned int)
TESS_SHMEM_TYPE(ulong, unsigned long)
TESS_SHMEM_TYPE(ulonglong, unsigned long long)
TESS_SHMEM_TYPE(int32, std::int32_t)
TESS_SHMEM_TYPE(int64, std::int64_t)
TESS_SHMEM_TYPE(uint32, std::uint32_t)
TESS_SHMEM_TYPE(uint64, std::uint64_t)
TESS_SHMEM_TYPE(size, std::size_t)
TESS_SHMEM_TYPE(ptrdiff, std::ptrdiff_t)
TESS_SHMEM_BITWISE(uint, unsigned int)
TESS_SHMEM_BITWISE(ulong, unsigned long)
TESS_SHMEM_BITWISE(ulonglong, unsigned long long)
TESS_SHMEM_BITWISE(int32, std::int32_t)
TESS_SHMEM_BITWISE(int64, std::int64_t)
TESS_SHMEM_BITWISE(uint32, std::uint32_t)
TESS_SHMEM_BITWISE(uint64, std::uint64_t)
#undef TESS_SHMEM_TYPE
#undef TESS_SHMEM_BITWISE
#undef TESS_SHMEM_OPERATION
#undef TESS_SHMEM_FETCHING
