// atomics: atomic words between PEs of one host: the processor's own instructions.
//
// Threads   any.
// Errors    fail: no such PE, not symmetric, not aligned.
// Source    OpenSHMEM 1.5, section 9.7.
#pragma once

#include "shmem/address.hpp"
#include "shmem/context.hpp"

namespace tess::shmem {

template <class T>
T* word_at(shmem_ctx_t ctx, T const* address, int pe) {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) [[unlikely]]
    fail("a word that is not aligned", "a multiple of " + std::to_string(sizeof(T)));
  return at_pe(address, 1, pe_of(ctx, pe));
}

template <class T>
T atomic_fetch(shmem_ctx_t ctx, T const* source, int pe) {
  T found;
  __atomic_load(word_at(ctx, source, pe), &found, __ATOMIC_SEQ_CST);
  return found;
}
template <class T>
void atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe) {
  __atomic_store(word_at(ctx, dest, pe), &value, __ATOMIC_SEQ_CST);
}
template <class T>
T atomic_swap(shmem_ctx_t ctx, T* dest, T value, int pe) {
  T old;
  __atomic_exchange(word_at(ctx, dest, pe), &value, &old, __ATOMIC_SEQ_CST);
  return old;
}
template <class T>
T atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value, int pe) {
  __atomic_compare_exchange_n(word_at(ctx, dest, pe), &cond, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return cond;
}

#define TESS_SHMEM_ATOMIC(NAME)                                                         \
  template <class T>                                                                    \
  T atomic_fetch_##NAME(shmem_ctx_t ctx, T* dest, T value, int pe) {                    \
    return __atomic_fetch_##NAME(word_at(ctx, dest, pe), value, __ATOMIC_SEQ_CST);      \
  }                                                                                     \
  template <class T>                                                                    \
  void atomic_##NAME(shmem_ctx_t ctx, T* dest, T value, int pe) {                       \
    atomic_fetch_##NAME(ctx, dest, value, pe);                                          \
  }                                                                                     \
  template <class T>                                                                    \
  void atomic_fetch_##NAME##_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe) { \
    *fetch = atomic_fetch_##NAME(ctx, dest, value, pe);                                 \
  }
TESS_SHMEM_ATOMIC(add)
TESS_SHMEM_ATOMIC(and)
TESS_SHMEM_ATOMIC(or)
TESS_SHMEM_ATOMIC(xor)
#undef TESS_SHMEM_ATOMIC

template <class T>
T atomic_fetch_inc(shmem_ctx_t ctx, T* dest, int pe) {
  return atomic_fetch_add(ctx, dest, T{1}, pe);
}
template <class T>
void atomic_inc(shmem_ctx_t ctx, T* dest, int pe) {
  atomic_fetch_add(ctx, dest, T{1}, pe);
}
template <class T>
void atomic_fetch_inc_nbi(shmem_ctx_t ctx, T* fetch, T* dest, int pe) {
  *fetch = atomic_fetch_inc(ctx, dest, pe);
}
template <class T>
void atomic_fetch_nbi(shmem_ctx_t ctx, T* fetch, T const* source, int pe) {
  *fetch = atomic_fetch(ctx, source, pe);
}
template <class T>
void atomic_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe) {
  *fetch = atomic_swap(ctx, dest, value, pe);
}
template <class T>
void atomic_compare_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T cond, T value, int pe) {
  *fetch = atomic_compare_swap(ctx, dest, cond, value, pe);
}

}  // namespace tess::shmem
