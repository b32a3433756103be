// rma: puts and gets: between PEs of one host copies, complete when the call ends; otherwise by the network.
//
// Units     items of T.
// Threads   any.
// Errors    fail: no such PE, not symmetric.
// Cost      that of memcpy, and two comparisons.
// Source    OpenSHMEM 1.5, section 9.6; 1.6 for blocks with strides.
#pragma once

#include <cstddef>
#include <cstring>

#include "shmem/address.hpp"
#include "shmem/context.hpp"
#include "shmem/far.hpp"

namespace tess::shmem {

/// So many bytes from the first item to the end of the last one; blocks of `block` items, `step` apart.
inline std::size_t span_of(std::size_t blocks, std::ptrdiff_t step, std::size_t block) {
  return blocks == 0 ? 0 : (blocks - 1) * static_cast<std::size_t>(step) + block;
}

// PEs without a window. In own functions, so that the others stay short.

[[gnu::noinline, gnu::cold]] inline void put_far(shmem_ctx_t ctx, void* dest, void const* source, std::size_t bytes,
                                                 int pe) {
  own.network->put(*ctx->pending, far(dest, bytes, pe), source, bytes);
}
[[gnu::noinline, gnu::cold]] inline void put_far_later(shmem_ctx_t ctx, void* dest, void const* source,
                                                       std::size_t bytes, int pe) {
  own.network->put_later(*ctx->pending, far(dest, bytes, pe), source, bytes);
}
[[gnu::noinline, gnu::cold]] inline void get_far(shmem_ctx_t ctx, void* dest, void const* source, std::size_t bytes,
                                                 int pe) {
  own.network->get(*ctx->pending, far(source, bytes, pe), dest, bytes);
}
[[gnu::noinline, gnu::cold]] inline void get_far_later(shmem_ctx_t ctx, void* dest, void const* source,
                                                       std::size_t bytes, int pe) {
  own.network->get_later(*ctx->pending, far(source, bytes, pe), dest, bytes);
}

inline void putmem(shmem_ctx_t ctx, void* dest, void const* source, std::size_t nelems, int pe) {
  pe = pe_of(ctx, pe);
  std::byte* const there = at_pe(dest, nelems, pe);
  if (there == nullptr) [[unlikely]]
    return put_far(ctx, dest, source, nelems, pe);
  std::memcpy(there, source, nelems);
}
inline void getmem(shmem_ctx_t ctx, void* dest, void const* source, std::size_t nelems, int pe) {
  pe = pe_of(ctx, pe);
  std::byte const* const there = at_pe(source, nelems, pe);
  if (there == nullptr) [[unlikely]]
    return get_far(ctx, dest, source, nelems, pe);
  std::memcpy(dest, there, nelems);
}
inline void putmem_nbi(shmem_ctx_t ctx, void* dest, void const* source, std::size_t nelems, int pe) {
  pe = pe_of(ctx, pe);
  std::byte* const there = at_pe(dest, nelems, pe);
  if (there == nullptr) [[unlikely]]
    return put_far_later(ctx, dest, source, nelems, pe);
  std::memcpy(there, source, nelems);
}
inline void getmem_nbi(shmem_ctx_t ctx, void* dest, void const* source, std::size_t nelems, int pe) {
  pe = pe_of(ctx, pe);
  std::byte const* const there = at_pe(source, nelems, pe);
  if (there == nullptr) [[unlikely]]
    return get_far_later(ctx, dest, source, nelems, pe);
  std::memcpy(dest, there, nelems);
}

/// More than memory has: a length that the checks of addresses refuse.
template <class T>
std::size_t bytes_in(std::size_t items) {
  return items > SIZE_MAX / sizeof(T) ? SIZE_MAX : items * sizeof(T);
}

template <class T>
void put(shmem_ctx_t ctx, T* dest, T const* source, std::size_t nelems, int pe) {
  putmem(ctx, dest, source, bytes_in<T>(nelems), pe);
}
template <class T>
void get(shmem_ctx_t ctx, T* dest, T const* source, std::size_t nelems, int pe) {
  getmem(ctx, dest, source, bytes_in<T>(nelems), pe);
}
template <class T>
void put_nbi(shmem_ctx_t ctx, T* dest, T const* source, std::size_t nelems, int pe) {
  putmem_nbi(ctx, dest, source, bytes_in<T>(nelems), pe);
}
template <class T>
void get_nbi(shmem_ctx_t ctx, T* dest, T const* source, std::size_t nelems, int pe) {
  getmem_nbi(ctx, dest, source, bytes_in<T>(nelems), pe);
}

template <class T>
void p(shmem_ctx_t ctx, T* dest, T value, int pe) {
  pe = pe_of(ctx, pe);
  T* const there = at_pe(dest, 1, pe);
  if (there == nullptr) [[unlikely]]
    return post_far(ctx, word_op::put, dest, pe, value);
  *there = value;
}
template <class T>
T g(shmem_ctx_t ctx, T const* source, int pe) {
  pe = pe_of(ctx, pe);
  T const* const there = at_pe(source, 1, pe);
  if (there == nullptr) [[unlikely]]
    return fetch_far(word_op::get, source, pe);
  return *there;
}

/// `move(dest, source)` for the blocks of a call with strides.
template <class T, class Move>
void each_block(T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t blocks, Move&& move) {
  for (std::size_t i = 0; i < blocks; ++i) {
    move(dest, source);
    // Beyond the last block no address is made.
    if (i + 1 == blocks) break;
    dest += dst;
    source += sst;
  }
}
template <class T>
void copy_blocks(T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t block,
                 std::size_t blocks) {
  each_block(dest, source, dst, sst, blocks,
             [block](T* to, T const* from) { std::memcpy(to, from, block * sizeof(T)); });
}

inline void check_strides(std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t block) {
  if (dst < static_cast<std::ptrdiff_t>(block) || sst < static_cast<std::ptrdiff_t>(block)) [[unlikely]]
    fail("strides of " + std::to_string(dst) + " and " + std::to_string(sst),
         "at least " + std::to_string(block) + ", so that items do not overlap");
}

template <class T>
void ibput(shmem_ctx_t ctx, T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
           std::size_t nblocks, int pe) {
  check_strides(dst, sst, bsize);
  pe = pe_of(ctx, pe);
  T* const there = at_pe(dest, span_of(nblocks, dst, bsize), pe);
  if (there == nullptr) [[unlikely]]
    return each_block(dest, source, dst, sst, nblocks,
                      [&](T* to, T const* from) { put_far(ctx, to, from, bsize * sizeof(T), pe); });
  copy_blocks(there, source, dst, sst, bsize, nblocks);
}
template <class T>
void ibget(shmem_ctx_t ctx, T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
           std::size_t nblocks, int pe) {
  check_strides(dst, sst, bsize);
  pe = pe_of(ctx, pe);
  T const* const there = at_pe<T>(source, span_of(nblocks, sst, bsize), pe);
  if (there != nullptr) [[likely]]
    return copy_blocks(dest, there, dst, sst, bsize, nblocks);
  each_block(dest, source, dst, sst, nblocks, [&](T* to, T const* from) {
    if (bsize == 1 && sizeof(T) <= 8)
      fetch_far_later(ctx, to, word_op::get, from, pe);
    else
      get_far_later(ctx, to, from, bsize * sizeof(T), pe);
  });
  own.network->quiet(*ctx->pending);
}
template <class T>
void iput(shmem_ctx_t ctx, T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems,
          int pe) {
  ibput(ctx, dest, source, dst, sst, 1, nelems, pe);
}
template <class T>
void iget(shmem_ctx_t ctx, T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems,
          int pe) {
  ibget(ctx, dest, source, dst, sst, 1, nelems, pe);
}

}  // namespace tess::shmem
