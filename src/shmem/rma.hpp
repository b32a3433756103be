// rma: puts and gets between PEs of one host: copies, complete when the call ends.
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

namespace tess::shmem {

/// So many bytes from the first item to the end of the last one; blocks of `block` items, `step` apart.
inline std::size_t span_of(std::size_t blocks, std::ptrdiff_t step, std::size_t block) {
  return blocks == 0 ? 0 : (blocks - 1) * static_cast<std::size_t>(step) + block;
}

template <class T>
void put(shmem_ctx_t ctx, T* dest, T const* source, std::size_t nelems, int pe) {
  std::memcpy(at_pe(dest, nelems, pe_of(ctx, pe)), source, nelems * sizeof(T));
}
template <class T>
void get(shmem_ctx_t ctx, T* dest, T const* source, std::size_t nelems, int pe) {
  std::memcpy(dest, at_pe(source, nelems, pe_of(ctx, pe)), nelems * sizeof(T));
}
inline void putmem(shmem_ctx_t ctx, void* dest, void const* source, std::size_t nelems, int pe) {
  std::memcpy(at_pe(dest, nelems, pe_of(ctx, pe)), source, nelems);
}
inline void getmem(shmem_ctx_t ctx, void* dest, void const* source, std::size_t nelems, int pe) {
  std::memcpy(dest, at_pe(source, nelems, pe_of(ctx, pe)), nelems);
}

template <class T>
void put_nbi(shmem_ctx_t ctx, T* dest, T const* source, std::size_t nelems, int pe) {
  put(ctx, dest, source, nelems, pe);
}
template <class T>
void get_nbi(shmem_ctx_t ctx, T* dest, T const* source, std::size_t nelems, int pe) {
  get(ctx, dest, source, nelems, pe);
}
inline void putmem_nbi(shmem_ctx_t ctx, void* dest, void const* source, std::size_t nelems, int pe) {
  putmem(ctx, dest, source, nelems, pe);
}
inline void getmem_nbi(shmem_ctx_t ctx, void* dest, void const* source, std::size_t nelems, int pe) {
  getmem(ctx, dest, source, nelems, pe);
}

template <class T>
void p(shmem_ctx_t ctx, T* dest, T value, int pe) {
  *at_pe(dest, 1, pe_of(ctx, pe)) = value;
}
template <class T>
T g(shmem_ctx_t ctx, T const* source, int pe) {
  return *at_pe(source, 1, pe_of(ctx, pe));
}

template <class T>
void copy_blocks(T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t block,
                 std::size_t blocks) {
  for (std::size_t i = 0; i < blocks; ++i) {
    std::memcpy(dest, source, block * sizeof(T));
    // Beyond the last block no address is made.
    if (i + 1 == blocks) break;
    dest += dst;
    source += sst;
  }
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
  copy_blocks(at_pe(dest, span_of(nblocks, dst, bsize), pe_of(ctx, pe)), source, dst, sst, bsize, nblocks);
}
template <class T>
void ibget(shmem_ctx_t ctx, T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
           std::size_t nblocks, int pe) {
  check_strides(dst, sst, bsize);
  copy_blocks(dest, at_pe<T>(source, span_of(nblocks, sst, bsize), pe_of(ctx, pe)), dst, sst, bsize, nblocks);
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
