// describe: each function of the library as an operation, by the function's name and with its arguments.
//
//   The names are those of the table (interface.txt). Arguments that the function itself refuses are refused here in
//   the same words, if they are needed.
//
// Source    OpenSHMEM 1.5: what a call reads and writes, and when others may rely on it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem/group.hpp"
#include "shmem/observe.hpp"
#include "shmem/rma.hpp"

namespace tess::shmem::describe {

// Calls that nobody observes stay short.
#define TESS_SHMEM_DESCRIPTION [[gnu::noinline, gnu::cold]] inline

// Puts and gets ------------------------------------------------------------------------------------------------------

/// `borrows`: a form with _nbi.
TESS_SHMEM_DESCRIPTION operation moved(shmem_ctx_t ctx, void const* dest, void const* source, std::size_t bytes, int pe,
                                       bool puts, bool borrows) {
  operation o;
  o.what = role::moves;
  o.pe = pe = pe_of(ctx, pe);
  o.bytes = bytes;
  o.add({source, bytes, puts ? own.pe : pe, use::read, borrows, puts && borrows});
  o.add({dest, bytes, puts ? pe : own.pe, use::write, puts || borrows, !puts && borrows});
  return o;
}
TESS_SHMEM_DESCRIPTION operation blocks_moved(shmem_ctx_t ctx, void const* dest, void const* source, std::ptrdiff_t dst,
                                              std::ptrdiff_t sst, std::size_t block, std::size_t blocks,
                                              std::size_t item, int pe, bool puts) {
  operation o = moved(ctx, dest, source, block * item, pe, puts, false);
  o.bytes = block * item * blocks;
  for (std::size_t i = 0; i < 2; ++i) {
    o.accesses[i].blocks = blocks;
    o.accesses[i].step = (i == 0 ? sst : dst) * static_cast<std::ptrdiff_t>(item);
  }
  return o;
}

#define TESS_SHMEM_MOVES(NAME, PUTS, BORROWS)                                                   \
  template <class T>                                                                            \
  operation NAME(shmem_ctx_t ctx, T const* dest, T const* source, std::size_t nelems, int pe) { \
    return moved(ctx, dest, source, bytes_in<T>(nelems), pe, PUTS, BORROWS);                    \
  }
TESS_SHMEM_MOVES(put, true, false)
TESS_SHMEM_MOVES(put_nbi, true, true)
TESS_SHMEM_MOVES(get, false, false)
TESS_SHMEM_MOVES(get_nbi, false, true)
#undef TESS_SHMEM_MOVES
#define TESS_SHMEM_MOVES(NAME, PUTS, BORROWS)                                                                \
  inline operation NAME(shmem_ctx_t ctx, void const* dest, void const* source, std::size_t nelems, int pe) { \
    return moved(ctx, dest, source, nelems, pe, PUTS, BORROWS);                                              \
  }
TESS_SHMEM_MOVES(putmem, true, false)
TESS_SHMEM_MOVES(putmem_nbi, true, true)
TESS_SHMEM_MOVES(getmem, false, false)
TESS_SHMEM_MOVES(getmem_nbi, false, true)
#undef TESS_SHMEM_MOVES

TESS_SHMEM_DESCRIPTION operation word_put(shmem_ctx_t ctx, void const* dest, std::size_t bytes, int pe) {
  operation o = moved(ctx, dest, nullptr, bytes, pe, true, false);
  o.accesses[0] = o.accesses[1];
  o.access_count = 1;
  o.word = dest;
  o.word_pe = o.pe;
  return o;
}
TESS_SHMEM_DESCRIPTION operation word_got(shmem_ctx_t ctx, void const* source, std::size_t bytes, int pe) {
  operation o = moved(ctx, nullptr, source, bytes, pe, false, false);
  o.access_count = 1;
  return o;
}
template <class T>
operation p(shmem_ctx_t ctx, T const* dest, T /*value*/, int pe) {
  return word_put(ctx, dest, sizeof(T), pe);
}
template <class T>
operation g(shmem_ctx_t ctx, T const* source, int pe) {
  return word_got(ctx, source, sizeof(T), pe);
}
template <class T>
operation ibput(shmem_ctx_t ctx, T const* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                std::size_t bsize, std::size_t nblocks, int pe) {
  return blocks_moved(ctx, dest, source, dst, sst, bsize, nblocks, sizeof(T), pe, true);
}
template <class T>
operation ibget(shmem_ctx_t ctx, T const* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                std::size_t bsize, std::size_t nblocks, int pe) {
  return blocks_moved(ctx, dest, source, dst, sst, bsize, nblocks, sizeof(T), pe, false);
}
template <class T>
operation iput(shmem_ctx_t ctx, T const* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
               std::size_t nelems, int pe) {
  return ibput(ctx, dest, source, dst, sst, 1, nelems, pe);
}
template <class T>
operation iget(shmem_ctx_t ctx, T const* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
               std::size_t nelems, int pe) {
  return ibget(ctx, dest, source, dst, sst, 1, nelems, pe);
}

// Atomics ------------------------------------------------------------------------------------------------------------

TESS_SHMEM_DESCRIPTION operation atomic_word(shmem_ctx_t ctx, void const* word, std::size_t bytes, int pe, bool fetches,
                                             bool writes) {
  operation o;
  o.what = role::moves;
  o.pe = o.word_pe = pe_of(ctx, pe);
  o.bytes = bytes;
  o.word = word;
  o.releases = writes;
  o.acquires = fetches;
  o.add({word, bytes, o.pe, writes ? use::atomic_write : use::atomic_read, !fetches});
  return o;
}
/// Its result is there after a quiet.
TESS_SHMEM_DESCRIPTION operation atomic_word_nbi(shmem_ctx_t ctx, void const* fetch, void const* word,
                                                 std::size_t bytes, int pe, bool writes) {
  operation o = atomic_word(ctx, word, bytes, pe, true, writes);
  o.accesses[0].is_pending = true;
  o.add({fetch, bytes, own.pe, use::write, true, true});
  return o;
}

template <class T>
operation atomic_fetch(shmem_ctx_t ctx, T const* source, int pe) {
  return atomic_word(ctx, source, sizeof(T), pe, true, false);
}
template <class T>
operation atomic_fetch_nbi(shmem_ctx_t ctx, T const* fetch, T const* source, int pe) {
  return atomic_word_nbi(ctx, fetch, source, sizeof(T), pe, false);
}
template <class T>
operation atomic_compare_swap(shmem_ctx_t ctx, T const* dest, T /*cond*/, T /*value*/, int pe) {
  return atomic_word(ctx, dest, sizeof(T), pe, true, true);
}
template <class T>
operation atomic_compare_swap_nbi(shmem_ctx_t ctx, T const* fetch, T const* dest, T /*cond*/, T /*value*/, int pe) {
  return atomic_word_nbi(ctx, fetch, dest, sizeof(T), pe, true);
}
#define TESS_SHMEM_ATOMIC(NAME, FETCHES)                                \
  template <class T>                                                    \
  operation NAME(shmem_ctx_t ctx, T const* dest, T /*value*/, int pe) { \
    return atomic_word(ctx, dest, sizeof(T), pe, FETCHES, true);        \
  }
#define TESS_SHMEM_ATOMIC_NBI(NAME)                                                     \
  template <class T>                                                                    \
  operation NAME(shmem_ctx_t ctx, T const* fetch, T const* dest, T /*value*/, int pe) { \
    return atomic_word_nbi(ctx, fetch, dest, sizeof(T), pe, true);                      \
  }
#define TESS_SHMEM_ATOMICS(NAME)               \
  TESS_SHMEM_ATOMIC(atomic_##NAME, false)      \
  TESS_SHMEM_ATOMIC(atomic_fetch_##NAME, true) \
  TESS_SHMEM_ATOMIC_NBI(atomic_fetch_##NAME##_nbi)
TESS_SHMEM_ATOMICS(add)
TESS_SHMEM_ATOMICS(and)
TESS_SHMEM_ATOMICS(or)
TESS_SHMEM_ATOMICS(xor)
TESS_SHMEM_ATOMIC(atomic_set, false)
TESS_SHMEM_ATOMIC(atomic_swap, true)
TESS_SHMEM_ATOMIC_NBI(atomic_swap_nbi)
#undef TESS_SHMEM_ATOMICS
#undef TESS_SHMEM_ATOMIC_NBI
#undef TESS_SHMEM_ATOMIC
template <class T>
operation atomic_inc(shmem_ctx_t ctx, T const* dest, int pe) {
  return atomic_word(ctx, dest, sizeof(T), pe, false, true);
}
template <class T>
operation atomic_fetch_inc(shmem_ctx_t ctx, T const* dest, int pe) {
  return atomic_word(ctx, dest, sizeof(T), pe, true, true);
}
template <class T>
operation atomic_fetch_inc_nbi(shmem_ctx_t ctx, T const* fetch, T const* dest, int pe) {
  return atomic_word_nbi(ctx, fetch, dest, sizeof(T), pe, true);
}

// Signals ------------------------------------------------------------------------------------------------------------

/// The bytes are there before the signal, so that they do not wait for a quiet.
TESS_SHMEM_DESCRIPTION operation signalled(shmem_ctx_t ctx, void const* dest, void const* source, std::size_t bytes,
                                           std::uint64_t const* sig_addr, int pe, bool borrows) {
  operation o = moved(ctx, dest, source, bytes, pe, true, borrows);
  o.accesses[1].is_pending = false;
  o.add({sig_addr, sizeof *sig_addr, o.pe, use::atomic_write, true});
  o.word = sig_addr;
  o.word_pe = o.pe;
  o.releases = true;
  return o;
}
template <class T>
operation put_signal(shmem_ctx_t ctx, T const* dest, T const* source, std::size_t nelems, std::uint64_t const* sig_addr,
                     std::uint64_t /*signal*/, int /*sig_op*/, int pe) {
  return signalled(ctx, dest, source, bytes_in<T>(nelems), sig_addr, pe, false);
}
template <class T>
operation put_signal_nbi(shmem_ctx_t ctx, T const* dest, T const* source, std::size_t nelems,
                         std::uint64_t const* sig_addr, std::uint64_t /*signal*/, int /*sig_op*/, int pe) {
  return signalled(ctx, dest, source, bytes_in<T>(nelems), sig_addr, pe, true);
}
inline operation putmem_signal(shmem_ctx_t ctx, void const* dest, void const* source, std::size_t nelems,
                               std::uint64_t const* sig_addr, std::uint64_t /*signal*/, int /*sig_op*/, int pe) {
  return signalled(ctx, dest, source, nelems, sig_addr, pe, false);
}
inline operation putmem_signal_nbi(shmem_ctx_t ctx, void const* dest, void const* source, std::size_t nelems,
                                   std::uint64_t const* sig_addr, std::uint64_t /*signal*/, int /*sig_op*/, int pe) {
  return signalled(ctx, dest, source, nelems, sig_addr, pe, true);
}
inline operation signal_fetch(std::uint64_t const* sig_addr) {
  return atomic_word(SHMEM_CTX_DEFAULT, sig_addr, sizeof *sig_addr, own.pe, true, false);
}
inline operation signal_add(shmem_ctx_t ctx, std::uint64_t const* sig_addr, std::uint64_t /*signal*/, int pe) {
  return atomic_word(ctx, sig_addr, sizeof *sig_addr, pe, false, true);
}
inline operation signal_set(shmem_ctx_t ctx, std::uint64_t const* sig_addr, std::uint64_t /*signal*/, int pe) {
  return atomic_word(ctx, sig_addr, sizeof *sig_addr, pe, false, true);
}

// Waits --------------------------------------------------------------------------------------------------------------

TESS_SHMEM_DESCRIPTION operation words_waited_for(void const* ivars, std::size_t items, std::size_t item_bytes,
                                                  int const* status, chosen which, bool is_test,
                                                  std::size_t const* indices) {
  operation o;
  o.what = role::waits;
  o.ivars = ivars;
  o.items = items;
  o.item_bytes = item_bytes;
  o.status = status;
  o.which = which;
  o.is_test = is_test;
  o.indices = indices;
  return o;
}
template <class T>
operation waited_for(T const* ivars, std::size_t items, int const* status, chosen which, bool is_test,
                     std::size_t const* indices = nullptr) {
  return words_waited_for(ivars, items, sizeof(T), status, which, is_test, indices);
}
template <class T>
operation wait_until(T const* ivar, int /*cmp*/, T /*value*/) {
  return waited_for(ivar, 1, nullptr, chosen::all, false);
}
template <class T>
operation wait(T const* ivar, T /*value*/) {
  return waited_for(ivar, 1, nullptr, chosen::all, false);
}
template <class T>
operation test(T const* ivar, int /*cmp*/, T /*value*/) {
  return waited_for(ivar, 1, nullptr, chosen::all, true);
}
inline operation signal_wait_until(std::uint64_t const* sig_addr, int /*cmp*/, std::uint64_t /*value*/) {
  return waited_for(sig_addr, 1, nullptr, chosen::all, false);
}
// One value for all words, then one for each.
#define TESS_SHMEM_WAITS(NAME, VALUE)                                                                                \
  template <class T>                                                                                                 \
  operation wait_until_all##NAME(T const* ivars, std::size_t nelems, int const* status, int /*cmp*/, VALUE) {        \
    return waited_for(ivars, nelems, status, chosen::all, false);                                                    \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  operation wait_until_any##NAME(T const* ivars, std::size_t nelems, int const* status, int /*cmp*/, VALUE) {        \
    return waited_for(ivars, nelems, status, chosen::any, false);                                                    \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  operation wait_until_some##NAME(T const* ivars, std::size_t nelems, std::size_t const* indices, int const* status, \
                                  int /*cmp*/, VALUE) {                                                              \
    return waited_for(ivars, nelems, status, chosen::some, false, indices);                                          \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  operation test_all##NAME(T const* ivars, std::size_t nelems, int const* status, int /*cmp*/, VALUE) {              \
    return waited_for(ivars, nelems, status, chosen::all, true);                                                     \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  operation test_any##NAME(T const* ivars, std::size_t nelems, int const* status, int /*cmp*/, VALUE) {              \
    return waited_for(ivars, nelems, status, chosen::any, true);                                                     \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  operation test_some##NAME(T const* ivars, std::size_t nelems, std::size_t const* indices, int const* status,       \
                            int /*cmp*/, VALUE) {                                                                    \
    return waited_for(ivars, nelems, status, chosen::some, true, indices);                                           \
  }
TESS_SHMEM_WAITS(, T)
TESS_SHMEM_WAITS(_vector, T const*)
#undef TESS_SHMEM_WAITS

// Order and locks ----------------------------------------------------------------------------------------------------

TESS_SHMEM_DESCRIPTION operation of_role(role what) {
  operation o;
  o.what = what;
  return o;
}
inline operation fence(shmem_ctx_t ctx) {
  return ctx == SHMEM_CTX_INVALID ? operation{} : of_role(role::fences);
}
inline operation quiet(shmem_ctx_t ctx) {
  return ctx == SHMEM_CTX_INVALID ? operation{} : of_role(role::completes);
}
/// With a team's context it counts as a quiet.
TESS_SHMEM_DESCRIPTION operation pe_quiet(shmem_ctx_t ctx, int const* target_pes, std::size_t npes) {
  if (ctx == SHMEM_CTX_INVALID) return {};
  operation o = of_role(role::completes);
  if (ctx->of_world == 0) return o;
  o.targets = target_pes;
  o.target_count = npes;
  return o;
}
inline operation ctx_destroy(shmem_ctx_t /*ctx*/) {
  return of_role(role::completes);
}
TESS_SHMEM_DESCRIPTION operation on_lock(role what, long const* lock) {
  operation o = of_role(what);
  o.word = lock;
  return o;
}
inline operation set_lock(long const* lock) {
  return on_lock(role::locks, lock);
}
inline operation test_lock(long const* lock) {
  operation o = on_lock(role::locks, lock);
  o.is_test = true;
  return o;
}
inline operation clear_lock(long const* lock) {
  return on_lock(role::unlocks, lock);
}

}  // namespace tess::shmem::describe
