// describe_collectives: collectives, and calls that all PEs must make alike, as operations: whom they are with, what
// all must give, and the own buffers that they use.
//
// Source    OpenSHMEM 1.5, sections 9.3, 9.4 and 9.9.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem/describe.hpp"

namespace tess::shmem::describe {

TESS_SHMEM_DESCRIPTION operation met(group const& g, bool completes = false) {
  operation o = of_role(role::meets);
  o.start = g.pe(0);
  o.stride = g.size() > 1 ? g.pe(1) - g.pe(0) : 1;
  o.size = g.size();
  o.team = g.team_number();
  o.completes_puts = completes;
  return o;
}
TESS_SHMEM_DESCRIPTION operation met(shmem_team_t team, bool completes = false) {
  return met(group(of(team)), completes);
}
inline operation all_met() {
  return met(SHMEM_TEAM_WORLD, true);
}

// Memory and teams ---------------------------------------------------------------------------------------------------

inline std::int64_t number(std::size_t n) {
  return static_cast<std::int64_t>(n);
}
/// A size of 0 meets nobody.
TESS_SHMEM_DESCRIPTION operation align(std::size_t alignment, std::size_t size) {
  if (size == 0) return {};
  operation o = all_met();
  o.agree("size", number(size));
  o.agree("alignment", number(alignment));
  o.object_bytes = size;
  return o;
}
inline operation malloc(std::size_t size) {
  return align(0, size);
}
inline operation malloc_with_hints(std::size_t size, long /*hints*/) {
  return align(0, size);
}
TESS_SHMEM_DESCRIPTION operation calloc(std::size_t count, std::size_t size) {
  if (count == 0 || size == 0) return {};
  operation o = all_met();
  o.agree("count", number(count));
  o.agree("size", number(size));
  o.object_bytes = count * size;
  return o;
}
/// Objects have the same address at all PEs.
TESS_SHMEM_DESCRIPTION operation free(void const* ptr) {
  if (ptr == nullptr) return {};
  operation o = all_met();
  o.agree("ptr", reinterpret_cast<std::int64_t>(ptr));
  o.freed = ptr;
  return o;
}
TESS_SHMEM_DESCRIPTION operation realloc(void const* ptr, std::size_t size) {
  if (ptr == nullptr) return align(0, size);
  operation o = free(ptr);
  o.agree("size", number(size));
  o.object_bytes = size;
  return o;
}

template <class... Rest>
operation team_split_strided(shmem_team_t parent, int start, int stride, int size, Rest...) {
  if (parent == SHMEM_TEAM_INVALID) return {};
  operation o = met(parent);
  o.agree("start", start);
  o.agree("stride", stride);
  o.agree("size", size);
  return o;
}
template <class... Rest>
operation team_split_2d(shmem_team_t parent, int xrange, Rest...) {
  if (parent == SHMEM_TEAM_INVALID) return {};
  operation o = met(parent);
  o.agree("xrange", xrange);
  return o;
}
inline operation team_destroy(shmem_team_t team) {
  if (team == SHMEM_TEAM_INVALID) return {};
  // Its contexts are destroyed.
  return met(team, true);
}

// Meetings -----------------------------------------------------------------------------------------------------------

inline operation barrier_all() {
  return all_met();
}
inline operation sync_all() {
  return met(SHMEM_TEAM_WORLD);
}
inline operation team_sync(shmem_team_t team) {
  return met(team);
}
inline operation barrier(int start, int log_stride, int size, long* psync) {
  return met(group(start, log_stride, size, psync), true);
}
inline operation sync(int start, int log_stride, int size, long* psync) {
  return met(group(start, log_stride, size, psync));
}
inline operation finalize() {
  return all_met();
}

// Exchanges ----------------------------------------------------------------------------------------------------------

/// An address that all must give, as the distance from where all have the heap or their statics.
inline constexpr std::int64_t not_symmetric = -1;
/// Null, which is right for no items.
inline constexpr std::int64_t nowhere = -2;
inline std::int64_t symmetric_offset(void const* address, bool is_empty) {
  if (address == nullptr && is_empty) return nowhere;
  auto const at = static_cast<std::byte const*>(address);
  if (!is_symmetric(at, 1)) return not_symmetric;
  bool const in_data = own.data_bytes != 0 && at >= own.data && at < own.data + own.data_bytes;
  return at - (in_data ? own.data : own.heap);
}

/// Source and dest of a PE, of so many bytes; 0: not known, or not used.
TESS_SHMEM_DESCRIPTION operation exchanged(group const& g, void const* dest, std::size_t dest_bytes, void const* source,
                                           std::size_t source_bytes) {
  operation o = met(g);
  o.bytes = source_bytes != 0 ? source_bytes : dest_bytes;
  o.agree("dest", symmetric_offset(dest, dest_bytes == 0 && source_bytes == 0));
  o.add({source, source_bytes, own.pe, use::read});
  o.add({dest, dest_bytes, own.pe, use::write});
  return o;
}
template <class T>
[[gnu::noinline, gnu::cold]] operation broadcast_in(group const& g, T const* dest, T const* source, std::size_t nelems,
                                                    int root) {
  bool const is_root = g.me() == root;
  operation o = exchanged(g, dest, is_root ? 0 : bytes_in<T>(nelems), source, is_root ? bytes_in<T>(nelems) : 0);
  o.root = root >= 0 && root < g.size() ? g.pe(root) : -1;
  o.agree("nelems", number(nelems));
  o.agree("PE_root", root);
  return o;
}
/// Each PE has its own number of items.
template <class T>
[[gnu::noinline, gnu::cold]] operation collect_in(group const& g, T const* dest, T const* source, std::size_t nelems) {
  return exchanged(g, dest, 0, source, bytes_in<T>(nelems));
}
template <class T>
[[gnu::noinline, gnu::cold]] operation fcollect_in(group const& g, T const* dest, T const* source, std::size_t nelems) {
  operation o =
      exchanged(g, dest, bytes_in<T>(nelems) * static_cast<std::size_t>(g.size()), source, bytes_in<T>(nelems));
  o.agree("nelems", number(nelems));
  return o;
}
template <class T>
[[gnu::noinline, gnu::cold]] operation alltoall_in(group const& g, T const* dest, T const* source, std::size_t nelems) {
  std::size_t const bytes = bytes_in<T>(nelems) * static_cast<std::size_t>(g.size());
  operation o = exchanged(g, dest, bytes, source, bytes);
  o.agree("nelems", number(nelems));
  return o;
}
template <class T>
[[gnu::noinline, gnu::cold]] operation alltoalls_in(group const& g, T const* dest, T const* source, std::ptrdiff_t dst,
                                                    std::ptrdiff_t sst, std::size_t nelems) {
  std::size_t const block = nelems == 0 ? 0 : sizeof(T);
  operation o = exchanged(g, dest, block, source, block);
  o.agree("nelems", number(nelems));
  o.agree("dst", dst);
  o.agree("sst", sst);
  for (std::size_t i = 0; i < 2; ++i) {
    o.accesses[i].blocks = nelems * static_cast<std::size_t>(g.size());
    o.accesses[i].step = (i == 0 ? sst : dst) * static_cast<std::ptrdiff_t>(sizeof(T));
  }
  o.bytes = o.accesses[0].blocks * sizeof(T);
  return o;
}
template <class T>
[[gnu::noinline, gnu::cold]] operation reduce_in(group const& g, T const* dest, T const* source, std::size_t items) {
  operation o = exchanged(g, dest, bytes_in<T>(items), source, bytes_in<T>(items));
  o.agree("source", symmetric_offset(source, items == 0));
  o.agree("nreduce", number(items));
  return o;
}

#define TESS_SHMEM_EXCHANGE(NAME)                                                                               \
  template <class T>                                                                                            \
  operation NAME(shmem_team_t team, T const* dest, T const* source, std::size_t nelems) {                       \
    return NAME##_in(group(of(team)), dest, source, nelems);                                                    \
  }                                                                                                             \
  inline operation NAME##mem(shmem_team_t team, void const* dest, void const* source, std::size_t nelems) {     \
    return NAME(team, static_cast<char const*>(dest), static_cast<char const*>(source), nelems);                \
  }                                                                                                             \
  template <class T>                                                                                            \
  operation NAME##_set(T const* dest, T const* source, std::size_t nelems, int start, int log_stride, int size, \
                       long* psync) {                                                                           \
    return NAME##_in(group(start, log_stride, size, psync), dest, source, nelems);                              \
  }
TESS_SHMEM_EXCHANGE(collect)
TESS_SHMEM_EXCHANGE(fcollect)
TESS_SHMEM_EXCHANGE(alltoall)
#undef TESS_SHMEM_EXCHANGE

template <class T>
operation broadcast(shmem_team_t team, T const* dest, T const* source, std::size_t nelems, int root) {
  return broadcast_in(group(of(team)), dest, source, nelems, root);
}
inline operation broadcastmem(shmem_team_t team, void const* dest, void const* source, std::size_t nelems, int root) {
  return broadcast(team, static_cast<char const*>(dest), static_cast<char const*>(source), nelems, root);
}
template <class T>
operation broadcast_set(T const* dest, T const* source, std::size_t nelems, int root, int start, int log_stride,
                        int size, long* psync) {
  return broadcast_in(group(start, log_stride, size, psync), dest, source, nelems, root);
}
template <class T>
operation alltoalls(shmem_team_t team, T const* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                    std::size_t nelems) {
  return alltoalls_in(group(of(team)), dest, source, dst, sst, nelems);
}
inline operation alltoallsmem(shmem_team_t team, void const* dest, void const* source, std::ptrdiff_t dst,
                              std::ptrdiff_t sst, std::size_t nelems) {
  return alltoalls(team, static_cast<char const*>(dest), static_cast<char const*>(source), dst, sst, nelems);
}
template <class T>
operation alltoalls_set(T const* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems,
                        int start, int log_stride, int size, long* psync) {
  return alltoalls_in(group(start, log_stride, size, psync), dest, source, dst, sst, nelems);
}

#define TESS_SHMEM_REDUCTION(NAME)                                                                          \
  template <class T>                                                                                        \
  operation NAME##_reduce(shmem_team_t team, T const* dest, T const* source, std::size_t nreduce) {         \
    return reduce_in(group(of(team)), dest, source, nreduce);                                               \
  }                                                                                                         \
  template <class T>                                                                                        \
  operation NAME##_to_all(T const* dest, T const* source, int nreduce, int start, int log_stride, int size, \
                          T const* /*pWrk*/, long* psync) {                                                 \
    group const g(start, log_stride, size, psync);                                                          \
    return reduce_in(g, dest, source, nreduce < 0 ? 0 : static_cast<std::size_t>(nreduce));                 \
  }
TESS_SHMEM_REDUCTION(and)
TESS_SHMEM_REDUCTION(or)
TESS_SHMEM_REDUCTION(xor)
TESS_SHMEM_REDUCTION(max)
TESS_SHMEM_REDUCTION(min)
TESS_SHMEM_REDUCTION(sum)
TESS_SHMEM_REDUCTION(prod)
#undef TESS_SHMEM_REDUCTION
template <class T>
operation sum_inscan(shmem_team_t team, T const* dest, T const* source, std::size_t nelems) {
  return reduce_in(group(of(team)), dest, source, nelems);
}
template <class T>
operation sum_exscan(shmem_team_t team, T const* dest, T const* source, std::size_t nelems) {
  return reduce_in(group(of(team)), dest, source, nelems);
}

}  // namespace tess::shmem::describe
