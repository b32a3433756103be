// atomics: atomic words: between PEs of one host the processor's own instructions, otherwise the owner's.
//
// Threads   any.
// Errors    fail: no such PE, not symmetric, not aligned.
// Source    OpenSHMEM 1.5, section 9.7.
#pragma once

#include "shmem/address.hpp"
#include "shmem/context.hpp"
#include "shmem/far.hpp"

namespace tess::shmem {

/// Null: no window to the PE.
template <class T>
T* word_at(T const* address, int pe) {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) [[unlikely]]
    fail("a word that is not aligned", "a multiple of " + std::to_string(sizeof(T)));
  return at_pe(address, 1, pe);
}

template <class T>
T atomic_fetch(shmem_ctx_t ctx, T const* source, int pe) {
  T found;
  pe = pe_of(ctx, pe);
  T* const word = word_at(source, pe);
  if (word == nullptr) [[unlikely]]
    return fetch_far(word_op::get, source, pe);
  __atomic_load(word, &found, __ATOMIC_SEQ_CST);
  return found;
}
template <class T>
void atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe) {
  pe = pe_of(ctx, pe);
  T* const word = word_at(dest, pe);
  if (word == nullptr) [[unlikely]]
    return post_far(ctx, word_op::put, dest, pe, value);
  __atomic_store(word, &value, __ATOMIC_SEQ_CST);
}
template <class T>
T atomic_swap(shmem_ctx_t ctx, T* dest, T value, int pe) {
  T old;
  pe = pe_of(ctx, pe);
  T* const word = word_at(dest, pe);
  if (word == nullptr) [[unlikely]]
    return fetch_far(word_op::exchange, dest, pe, value);
  __atomic_exchange(word, &value, &old, __ATOMIC_SEQ_CST);
  return old;
}
template <class T>
T atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value, int pe) {
  pe = pe_of(ctx, pe);
  T* const word = word_at(dest, pe);
  if (word == nullptr) [[unlikely]]
    return fetch_far(word_op::compare_swap, dest, pe, cond, value);
  __atomic_compare_exchange_n(word, &cond, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return cond;
}

#define TESS_SHMEM_ATOMIC(NAME)                                                         \
  template <class T>                                                                    \
  T atomic_fetch_##NAME(shmem_ctx_t ctx, T* dest, T value, int pe) {                    \
    pe = pe_of(ctx, pe);                                                                \
    T* const word = word_at(dest, pe);                                                  \
    if (word == nullptr) [[unlikely]]                                                   \
      return fetch_far(word_op::fetch_##NAME, dest, pe, value);                         \
    return __atomic_fetch_##NAME(word, value, __ATOMIC_SEQ_CST);                        \
  }                                                                                     \
  template <class T>                                                                    \
  void atomic_##NAME(shmem_ctx_t ctx, T* dest, T value, int pe) {                       \
    pe = pe_of(ctx, pe);                                                                \
    T* const word = word_at(dest, pe);                                                  \
    if (word == nullptr) [[unlikely]]                                                   \
      return post_far(ctx, word_op::fetch_##NAME, dest, pe, value);                     \
    __atomic_fetch_##NAME(word, value, __ATOMIC_SEQ_CST);                               \
  }                                                                                     \
  template <class T>                                                                    \
  void atomic_fetch_##NAME##_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe) { \
    pe = pe_of(ctx, pe);                                                                \
    T* const word = word_at(dest, pe);                                                  \
    if (word == nullptr) [[unlikely]]                                                   \
      return fetch_far_later(ctx, fetch, word_op::fetch_##NAME, dest, pe, value);       \
    *fetch = __atomic_fetch_##NAME(word, value, __ATOMIC_SEQ_CST);                      \
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
  atomic_add(ctx, dest, T{1}, pe);
}
template <class T>
void atomic_fetch_inc_nbi(shmem_ctx_t ctx, T* fetch, T* dest, int pe) {
  atomic_fetch_add_nbi(ctx, fetch, dest, T{1}, pe);
}
template <class T>
void atomic_fetch_nbi(shmem_ctx_t ctx, T* fetch, T const* source, int pe) {
  pe = pe_of(ctx, pe);
  T* const word = word_at(source, pe);
  if (word == nullptr) [[unlikely]]
    return fetch_far_later(ctx, fetch, word_op::get, source, pe);
  __atomic_load(word, fetch, __ATOMIC_SEQ_CST);
}
template <class T>
void atomic_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe) {
  pe = pe_of(ctx, pe);
  T* const word = word_at(dest, pe);
  if (word == nullptr) [[unlikely]]
    return fetch_far_later(ctx, fetch, word_op::exchange, dest, pe, value);
  __atomic_exchange(word, &value, fetch, __ATOMIC_SEQ_CST);
}
template <class T>
void atomic_compare_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T cond, T value, int pe) {
  pe = pe_of(ctx, pe);
  T* const word = word_at(dest, pe);
  if (word == nullptr) [[unlikely]]
    return fetch_far_later(ctx, fetch, word_op::compare_swap, dest, pe, cond, value);
  __atomic_compare_exchange_n(word, &cond, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  *fetch = cond;
}

}  // namespace tess::shmem
