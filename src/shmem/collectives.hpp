// collectives: exchanges, reductions and scans of the PEs of a team or an active set, in each other's memory.
//
//   A PE writes its items straight into the others' dest, which is ready when a collective begins, and then all meet:
//   one pass over the data. Reductions of few bytes go through boxes that all read. In larger ones each PE combines its
//   share of the items from all sources and writes it to all: every item is read and written once at each PE. Values
//   are combined in the order of PEs, so that results repeat.
//
// Units     items of T.
// Errors    fail: not symmetric, an invalid team or root.
// Cost      one meeting; two where sources must be complete first.
// Source    OpenSHMEM 1.5, section 9.9; 1.6 for scans.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <vector>

#include "shmem/group.hpp"
#include "shmem/order.hpp"
#include "shmem/rma.hpp"

namespace tess::shmem {

// Meetings -----------------------------------------------------------------------------------------------------------

inline int team_sync(shmem_team_t team) {
  group(of(team)).meet();
  return 0;
}
inline void sync_all() {
#if defined(__riscv)
  return own.network->meet_all();
#else
  group(tess_shmem_team_world).meet();
#endif
}
inline void barrier_all() {
  quiet(SHMEM_CTX_DEFAULT);
  sync_all();
}
inline void sync(int start, int log_stride, int size, long* psync) {
  group(start, log_stride, size, psync).meet();
}
inline void barrier(int start, int log_stride, int size, long* psync) {
  quiet(SHMEM_CTX_DEFAULT);
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

/// `everywhere`: into the root's dest, too, as with teams.
template <class T>
void broadcast_in(group g, T* dest, T const* source, std::size_t nelems, int root, bool everywhere) {
  constexpr std::size_t pushed_bytes = 8192;
  check_root(g, root);
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
void fcollect_in(group g, T* dest, T const* source, std::size_t nelems) {
  give_all(g, dest, static_cast<std::size_t>(g.me()) * nelems, source, nelems);
  g.meet();
}

template <class T>
void collect_in(group g, T* dest, T const* source, std::size_t nelems) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(g.size()));
  g.gather_counts(nelems, counts.data());
  std::size_t before = 0;
  for (int member = 0; member < g.me(); ++member) before += counts[static_cast<std::size_t>(member)];
  give_all(g, dest, before, source, nelems);
  g.meet();
}

template <class T>
void alltoall_in(group g, T* dest, T const* source, std::size_t nelems) {
  for (int i = 1; i <= g.size(); ++i) {
    int const member = (g.me() + i) % g.size();
    T const* const block = source + static_cast<std::size_t>(member) * nelems;
    give(g, dest + static_cast<std::size_t>(g.me()) * nelems, block, nelems, member);
  }
  g.meet();
}

template <class T>
void alltoalls_in(group g, T* dest, T const* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems) {
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

// Reductions ---------------------------------------------------------------------------------------------------------

struct combine_and {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct combine_or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct combine_xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct combine_max {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
struct combine_min {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct combine_sum {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct combine_prod {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a * b);
  }
};

template <class Combine, class T>
void combine_into(T* into, T const* values, std::size_t items) {
  for (std::size_t i = 0; i < items; ++i) into[i] = Combine::of(into[i], values[i]);
}

/// Items that a piece may have so that its parts stay in the cache.
template <class T>
inline constexpr std::size_t piece_items = std::max<std::size_t>(1, 32768 / sizeof(T));

/// The items [begin, end) of a member's share.
struct share {
  std::size_t begin, end;
};
template <class T>
share share_of(group const& g, std::size_t items) {
  // Whole cache lines, so that no two PEs write one.
  constexpr std::size_t line = std::max<std::size_t>(1, 64 / sizeof(T));
  std::size_t const lines = (items + line - 1) / line;
  auto const size = static_cast<std::size_t>(g.size());
  auto const me = static_cast<std::size_t>(g.me());
  return {std::min(items, lines * me / size * line), std::min(items, lines * (me + 1) / size * line)};
}

template <class Combine, class T>
void reduce_few(group& g, T* dest, T const* source, std::size_t items) {
  std::memcpy(g.next_box(), source, items * sizeof(T));
  g.meet();
  seen const all(g, items * sizeof(T));
  alignas(16) std::byte found[box_bytes];
  std::memcpy(found, all.of(0, g.box(0)), items * sizeof(T));
  for (int member = 1; member < g.size(); ++member)
    combine_into<Combine>(reinterpret_cast<T*>(found), reinterpret_cast<T const*>(all.of(member, g.box(member))),
                          items);
  std::memcpy(dest, found, items * sizeof(T));
}

template <class Combine, class T>
void reduce_in(group g, T* dest, T const* source, std::size_t items) {
  if (g.is_team() && items * sizeof(T) <= box_bytes) return reduce_few<Combine>(g, dest, source, items);
  g.meet();
  share const mine = share_of<T>(g, items);
  std::vector<T> piece(std::min(piece_items<T>, mine.end - mine.begin));
  for (std::size_t at = mine.begin; at < mine.end; at += piece.size()) {
    std::size_t const now = std::min(piece.size(), mine.end - at);
    seen const all(g, source + at, now * sizeof(T));
    auto const items_of = [&](int member) { return all.of(member, at_member(g, source + at, now, member)); };
    std::memcpy(static_cast<void*>(piece.data()), items_of(0), now * sizeof(T));
    for (int member = 1; member < g.size(); ++member) combine_into<Combine>(piece.data(), items_of(member), now);
    for (int member = 0; member < g.size(); ++member) give(g, dest + at, piece.data(), now, member);
    complete_given();
  }
  g.meet();
}

/// `inclusive`: with the PE's own values.
template <class T>
void scan_in(group g, T* dest, T const* source, std::size_t items, bool inclusive) {
  g.meet();
  share const mine = share_of<T>(g, items);
  std::vector<T> sum(std::min(piece_items<T>, mine.end - mine.begin));
  for (std::size_t at = mine.begin; at < mine.end; at += sum.size()) {
    std::size_t const now = std::min(sum.size(), mine.end - at);
    std::fill_n(sum.begin(), now, T{});
    seen const all(g, source + at, now * sizeof(T));
    std::vector<std::vector<T>> results;
    for (int member = 0; member < g.size(); ++member) {
      T const* const from = all.of(member, at_member(g, source + at, now, member));
      T* to = at_member(g, dest + at, now, member);
      bool const is_far = to == nullptr;
      if (is_far) to = results.emplace_back(now).data();
      for (std::size_t i = 0; i < now; ++i) {
        // Source and dest may be the same.
        T const value = from[i];
        T const before = sum[i];
        sum[i] = combine_sum::of(before, value);
        to[i] = inclusive ? sum[i] : before;
      }
      if (is_far) give(g, dest + at, to, now, member);
    }
    complete_given();
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
  fcollect_in(group(of(team)), dest, source, nelems);
  return 0;
}
template <class T>
int alltoall(shmem_team_t team, T* dest, T const* source, std::size_t nelems) {
  alltoall_in(group(of(team)), dest, source, nelems);
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

#define TESS_SHMEM_REDUCTION(NAME)                                                                                     \
  template <class T>                                                                                                   \
  int NAME##_reduce(shmem_team_t team, T* dest, T const* source, std::size_t nreduce) {                                \
    reduce_in<combine_##NAME>(group(of(team)), dest, source, nreduce);                                                 \
    return 0;                                                                                                          \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  void NAME##_to_all(T* dest, T const* source, int nreduce, int start, int log_stride, int size, T* /*pWrk*/,          \
                     long* psync) {                                                                                    \
    if (nreduce < 0) fail(std::to_string(nreduce) + " items", "0 or more");                                            \
    reduce_in<combine_##NAME>(group(start, log_stride, size, psync), dest, source, static_cast<std::size_t>(nreduce)); \
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
int sum_inscan(shmem_team_t team, T* dest, T const* source, std::size_t nelems) {
  scan_in(group(of(team)), dest, source, nelems, true);
  return 0;
}
template <class T>
int sum_exscan(shmem_team_t team, T* dest, T const* source, std::size_t nelems) {
  scan_in(group(of(team)), dest, source, nelems, false);
  return 0;
}

}  // namespace tess::shmem
