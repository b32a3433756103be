// collectives: meetings and exchanges of the PEs of a team or an active set, in each other's memory.
//
//   A PE writes its items straight into the others' dest, which is ready when a collective begins, and then all meet:
//   one pass over the data. Few items of a small team travel with the flags of the meeting, in their cache lines.
//
// Units     items of T.
// Errors    fail: not symmetric, an invalid team or root.
// Cost      one meeting; two where sources must be complete first.
// Source    OpenSHMEM 1.5, section 9.9.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "shmem/group.hpp"
#include "shmem/order.hpp"
#include "shmem/rma.hpp"

namespace tess::shmem {

// Meetings -----------------------------------------------------------------------------------------------------------

inline void meet(tess_shmem_team& team) {
  if (team.other != nullptr)
    meet_other(team, nullptr, 0, [] {});
  else
    group(team).meet();
}
inline int team_sync(shmem_team_t team) {
  meet(of(team));
  return 0;
}
inline void sync_all() {
#if defined(__riscv)
  return own.network->meet_all();
#else
  meet(tess_shmem_team_world);
#endif
}
/// No fence: flags are stored after what was put, and who has seen the others' flags sees what they put.
inline void barrier_all() {
  complete(SHMEM_CTX_DEFAULT);
  sync_all();
}
inline void sync(int start, int log_stride, int size, long* psync) {
  group(start, log_stride, size, psync).meet();
}
inline void barrier(int start, int log_stride, int size, long* psync) {
  complete(SHMEM_CTX_DEFAULT);
  sync(start, log_stride, size, psync);
}

// Exchanges ----------------------------------------------------------------------------------------------------------

inline void check_root(group const& g, int root) {
  if (root < 0 || root >= g.size()) [[unlikely]]
    fail("there is no root " + std::to_string(root), "0 to " + std::to_string(g.size() - 1));
}

/// Into a member's dest, by the next meeting at the latest; the source stays as it is until then.
template <class T>
void give(group const& g, T* dest, T const* source, std::size_t items, int member) {
  if (T* const there = at_member(g, dest, items, member)) [[likely]] {
    if (there != source) std::memmove(static_cast<void*>(there), source, items * sizeof(T));
    return;
  }
  std::uint64_t const there = far(dest, items * sizeof(T), g.pe(member));
  own.network->put_later(own.network->given(), there, source, items * sizeof(T));
}
template <class T>
void take(group const& g, T* dest, T const* source, std::size_t items, int member) {
  if (T const* const there = at_member(g, source, items, member)) [[likely]] {
    std::memcpy(static_cast<void*>(dest), there, items * sizeof(T));
    return;
  }
  own.network->get(own.network->given(), far(source, items * sizeof(T), g.pe(member)), dest, items * sizeof(T));
}

/// Few items of each to all, which leave by the flags and arrive in their places of dest. This PE's block for a member
/// is at source + member * step.
template <class T>
void exchange_few(group& g, T* dest, T const* source, std::size_t step, std::size_t items) {
  auto const place = [&](int member) { return dest + static_cast<std::size_t>(member) * items; };
  g.meet_telling(source, step * sizeof(T), items * sizeof(T), [&] {
    for (int member = 0; member < g.size(); ++member)
      if (member != g.me()) static_cast<void>(at_member(g, place(g.me()), items, member));
    T const* const mine = source + static_cast<std::size_t>(g.me()) * step;
    if (mine != place(g.me())) std::memmove(static_cast<void*>(place(g.me())), mine, items * sizeof(T));
  });
  for (int member = 0; member < g.size(); ++member)
    if (member != g.me()) copy_told(reinterpret_cast<std::byte*>(place(member)), g.told(member), items * sizeof(T));
}

/// The same in a team of two, whose cost is what it has to do before it tells the other, and after it was told.
template <class T>
void exchange_two(tess_shmem_team& team, T* dest, T const* source, std::size_t step, std::size_t items) {
  auto const me = static_cast<std::size_t>(team.me);
  std::size_t const length = items * sizeof(T);
  auto const told = meet_other(team, source + (1 - me) * step, length, [&] {
    static_cast<void>(at_pe(dest + me * items, items, team.start + (1 - team.me) * team.stride));
    T const* const mine = source + me * step;
    if (mine != dest + me * items) std::memmove(static_cast<void*>(dest + me * items), mine, length);
  });
  copy_told(reinterpret_cast<std::byte*>(dest + (1 - me) * items), told, length);
}
inline bool tells_other(tess_shmem_team const& team, std::size_t bytes) {
  return team.other != nullptr && bytes <= told_bytes;
}

/// `everywhere`: into the root's dest, too, as with teams.
template <class T>
void broadcast_in(group&& g, T* dest, T const* source, std::size_t nelems, int root, bool everywhere) {
  constexpr std::size_t pushed_bytes = 8192;
  check_root(g, root);
  if (g.tells(bytes_in<T>(nelems))) {
    if (g.me() == root) {
      for (int i = 1; i < g.size(); ++i) static_cast<void>(at_member(g, dest, nelems, (root + i) % g.size()));
      g.meet_telling(source, 0, nelems * sizeof(T));
      if (everywhere && dest != source) std::memmove(static_cast<void*>(dest), source, nelems * sizeof(T));
    } else {
      g.meet();
      std::memcpy(static_cast<void*>(dest), g.told(root), nelems * sizeof(T));
    }
    return;
  }
  bool const pushes = g.size() == 2 || nelems * sizeof(T) <= pushed_bytes;
  if (g.me() == root) {
    for (int member = 0; pushes && member < g.size(); ++member)
      if (member != root) give(g, dest, source, nelems, member);
    if (everywhere && dest != source) std::memmove(dest, source, nelems * sizeof(T));
  }
  g.meet();
  if (pushes) return;
  if (g.me() != root) take(g, dest, source, nelems, root);
  g.meet();
}

/// From this PE's block to everyone's dest, at an item; the others first, each a different one.
template <class T>
void give_all(group const& g, T* dest, std::size_t at, T const* block, std::size_t nelems) {
  for (int i = 1; i <= g.size(); ++i) give(g, dest + at, block, nelems, (g.me() + i) % g.size());
}

template <class T>
void fcollect_in(group&& g, T* dest, T const* source, std::size_t nelems) {
  if (g.tells(bytes_in<T>(nelems))) return exchange_few(g, dest, source, 0, nelems);
  give_all(g, dest, static_cast<std::size_t>(g.me()) * nelems, source, nelems);
  g.meet();
}

template <class T>
void collect_in(group&& g, T* dest, T const* source, std::size_t nelems) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(g.size()));
  g.gather_counts(nelems, counts.data());
  std::size_t before = 0;
  for (int member = 0; member < g.me(); ++member) before += counts[static_cast<std::size_t>(member)];
  give_all(g, dest, before, source, nelems);
  g.meet();
}

template <class T>
void alltoall_in(group&& g, T* dest, T const* source, std::size_t nelems) {
  if (g.tells(bytes_in<T>(nelems))) return exchange_few(g, dest, source, nelems, nelems);
  for (int i = 1; i <= g.size(); ++i) {
    int const member = (g.me() + i) % g.size();
    T const* const block = source + static_cast<std::size_t>(member) * nelems;
    give(g, dest + static_cast<std::size_t>(g.me()) * nelems, block, nelems, member);
  }
  g.meet();
}

template <class T>
void alltoalls_in(group&& g, T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems) {
  check_strides(dst, sst, 1);
  for (int i = 1; i <= g.size() && nelems != 0; ++i) {
    int const member = (g.me() + i) % g.size();
    auto const from_item = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(member) * nelems);
    auto const to_item = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(g.me()) * nelems);
    T* const target = at_member(g, dest + to_item * dst, span_of(nelems, dst, 1), member);
    if (target != nullptr) [[likely]]
      copy_blocks(target, source + from_item * sst, dst, sst, 1, nelems);
    else
      each_block(dest + to_item * dst, source + from_item * sst, dst, sst, nelems,
                 [&](T* to, T const* from) { give(g, to, from, 1, member); });
  }
  g.meet();
}

// The functions ------------------------------------------------------------------------------------------------------

template <class T>
int broadcast(shmem_team_t team, T* dest, T const* source, std::size_t nelems, int root) {
  broadcast_in(group(of(team)), dest, source, nelems, root, true);
  return 0;
}
template <class T>
int collect(shmem_team_t team, T* dest, T const* source, std::size_t nelems) {
  collect_in(group(of(team)), dest, source, nelems);
  return 0;
}
template <class T>
int fcollect(shmem_team_t team, T* dest, T const* source, std::size_t nelems) {
  if (tells_other(of(team), bytes_in<T>(nelems)))
    exchange_two(*team, dest, source, 0, nelems);
  else
    fcollect_in(group(*team), dest, source, nelems);
  return 0;
}
template <class T>
int alltoall(shmem_team_t team, T* dest, T const* source, std::size_t nelems) {
  if (tells_other(of(team), bytes_in<T>(nelems)))
    exchange_two(*team, dest, source, nelems, nelems);
  else
    alltoall_in(group(*team), dest, source, nelems);
  return 0;
}
template <class T>
int alltoalls(shmem_team_t team, T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems) {
  alltoalls_in(group(of(team)), dest, source, dst, sst, nelems);
  return 0;
}

inline std::byte* bytes(void* of) {
  return static_cast<std::byte*>(of);
}
inline std::byte const* bytes(void const* of) {
  return static_cast<std::byte const*>(of);
}
inline int broadcastmem(shmem_team_t team, void* dest, void const* source, std::size_t nelems, int root) {
  return broadcast(team, bytes(dest), bytes(source), nelems, root);
}
inline int collectmem(shmem_team_t team, void* dest, void const* source, std::size_t nelems) {
  return collect(team, bytes(dest), bytes(source), nelems);
}
inline int fcollectmem(shmem_team_t team, void* dest, void const* source, std::size_t nelems) {
  return fcollect(team, bytes(dest), bytes(source), nelems);
}
inline int alltoallmem(shmem_team_t team, void* dest, void const* source, std::size_t nelems) {
  return alltoall(team, bytes(dest), bytes(source), nelems);
}
inline int alltoallsmem(shmem_team_t team, void* dest, void const* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                        std::size_t nelems) {
  return alltoalls(team, bytes(dest), bytes(source), dst, sst, nelems);
}

template <class T>
void broadcast_set(T* dest, T const* source, std::size_t nelems, int root, int start, int log_stride, int size,
                   long* psync) {
  broadcast_in(group(start, log_stride, size, psync), dest, source, nelems, root, false);
}
template <class T>
void collect_set(T* dest, T const* source, std::size_t nelems, int start, int log_stride, int size, long* psync) {
  collect_in(group(start, log_stride, size, psync), dest, source, nelems);
}
template <class T>
void fcollect_set(T* dest, T const* source, std::size_t nelems, int start, int log_stride, int size, long* psync) {
  fcollect_in(group(start, log_stride, size, psync), dest, source, nelems);
}
template <class T>
void alltoall_set(T* dest, T const* source, std::size_t nelems, int start, int log_stride, int size, long* psync) {
  alltoall_in(group(start, log_stride, size, psync), dest, source, nelems);
}
template <class T>
void alltoalls_set(T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems, int start,
                   int log_stride, int size, long* psync) {
  alltoalls_in(group(start, log_stride, size, psync), dest, source, dst, sst, nelems);
}

}  // namespace tess::shmem
