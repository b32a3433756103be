// signals: puts that tell the target when their bytes are there.
//
// Source    OpenSHMEM 1.5, section 9.8; 1.6 for signals alone.
#pragma once

#include <cstdint>

#include "shmem/atomics.hpp"
#include "shmem/rma.hpp"
#include "shmem/waiting.hpp"

namespace tess::shmem {

inline void raise_signal(shmem_ctx_t ctx, std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe) {
  if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD) [[unlikely]]
    fail("signal operation " + std::to_string(sig_op), "SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD");
  pe = pe_of(ctx, pe);
  std::uint64_t* const word = word_at(sig_addr, pe);
  if (word == nullptr) [[unlikely]] {
    post_far(ctx, sig_op == SHMEM_SIGNAL_SET ? word_op::put : word_op::fetch_add, sig_addr, pe, signal);
    progress_network();
    return;
  }
  // The bytes come before the signal: it is what the other waits for.
  if (sig_op == SHMEM_SIGNAL_SET)
    __atomic_store_n(word, signal, __ATOMIC_RELEASE);
  else
    __atomic_fetch_add(word, signal, __ATOMIC_RELEASE);
}

/// The bytes of a put with a signal: complete, since nothing orders them and the signal.
inline void put_before_signal(shmem_ctx_t ctx, void* dest, void const* source, std::size_t bytes, int pe) {
  pe = pe_of(ctx, pe);
  std::byte* const there = at_pe(dest, bytes, pe);
  if (there == nullptr) [[unlikely]]
    return own.network->put_now(far(dest, bytes, pe), source, bytes);
  std::memcpy(there, source, bytes);
}

template <class T>
void put_signal(shmem_ctx_t ctx, T* dest, T const* source, std::size_t nelems, std::uint64_t* sig_addr,
                std::uint64_t signal, int sig_op, int pe) {
  put_before_signal(ctx, dest, source, bytes_in<T>(nelems), pe);
  raise_signal(ctx, sig_addr, signal, sig_op, pe);
}
template <class T>
void put_signal_nbi(shmem_ctx_t ctx, T* dest, T const* source, std::size_t nelems, std::uint64_t* sig_addr,
                    std::uint64_t signal, int sig_op, int pe) {
  put_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe);
}
inline void putmem_signal(shmem_ctx_t ctx, void* dest, void const* source, std::size_t nelems, std::uint64_t* sig_addr,
                          std::uint64_t signal, int sig_op, int pe) {
  put_before_signal(ctx, dest, source, nelems, pe);
  raise_signal(ctx, sig_addr, signal, sig_op, pe);
}
inline void putmem_signal_nbi(shmem_ctx_t ctx, void* dest, void const* source, std::size_t nelems,
                              std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe) {
  putmem_signal(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe);
}

inline std::uint64_t signal_fetch(std::uint64_t const* sig_addr) {
  return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}
inline void signal_add(shmem_ctx_t ctx, std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  raise_signal(ctx, sig_addr, signal, SHMEM_SIGNAL_ADD, pe);
}
inline void signal_set(shmem_ctx_t ctx, std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  raise_signal(ctx, sig_addr, signal, SHMEM_SIGNAL_SET, pe);
}

}  // namespace tess::shmem
