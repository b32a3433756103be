// reductions: reductions and scans of the PEs of a team or an active set, in each other's memory.
//
//   Items that are few enough travel with the flags of a meeting, or go through boxes that all read. Otherwise each PE
//   combines its share of the items from all sources and writes it to all: every item is read and written once at each
//   PE. Values are combined in the order of PEs, so that results repeat. A dest may be a source.
//
// Units     items of T.
// Errors    fail: not symmetric, an invalid team.
// Cost      one meeting for few items, two otherwise.
// Source    OpenSHMEM 1.5, section 9.9; 1.6 for scans.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "shmem/collectives.hpp"

namespace tess::shmem {

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

// Item i is read before it is written, as a target may be a source, but has nothing to do with item i + 1.
#if defined(__clang__)
#define TESS_SHMEM_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TESS_SHMEM_INDEPENDENT _Pragma("GCC ivdep")
#endif

/// Combines items of two sources and writes them to two targets.
template <class Combine, class T>
void combine_two(T* target, T* other_target, T const* a, T const* b, std::size_t items) {
  TESS_SHMEM_INDEPENDENT
  for (std::size_t i = 0; i < items; ++i) {
    T const found = Combine::of(a[i], b[i]);
    target[i] = found;
    other_target[i] = found;
  }
}

/// Combines items of all sources and writes them to all targets, through a block that stays in the first cache.
template <class Combine, class T>
void combine_all(std::span<std::byte* const> targets, std::span<std::byte const* const> sources, std::size_t items) {
  constexpr std::size_t block_bytes = 2048;
  constexpr std::size_t block = block_bytes / sizeof(T);
  alignas(64) std::byte room[block_bytes];
  auto const found = reinterpret_cast<T*>(room);
  for (std::size_t at = 0, now = 0; at < items; at += now) {
    now = std::min(block, items - at);
    std::memcpy(room, sources[0] + at * sizeof(T), now * sizeof(T));
    for (std::byte const* const source : sources.subspan(1))
      combine_into<Combine>(found, reinterpret_cast<T const*>(source) + at, now);
    for (std::byte* const target : targets) std::memcpy(target + at * sizeof(T), room, now * sizeof(T));
  }
}

/// `items` items of each source into each target.
template <class Combine, class T>
void combine(std::span<std::byte* const> targets, std::span<std::byte const* const> sources, std::size_t items) {
  constexpr bool is_vectorized = std::is_arithmetic_v<T> && sizeof(T) <= 8;
  if constexpr (is_vectorized)
    if (sources.size() == 2)
      return combine_two<Combine>(reinterpret_cast<T*>(targets[0]), reinterpret_cast<T*>(targets[1]),
                                  reinterpret_cast<T const*>(sources[0]), reinterpret_cast<T const*>(sources[1]),
                                  items);
  combine_all<Combine, T>(targets, sources, items);
}
using combine_items = void (*)(std::span<std::byte* const> targets, std::span<std::byte const* const> sources,
                               std::size_t items);

/// Items that a piece may have so that its parts stay in the cache.
constexpr std::size_t piece_items(std::size_t item_bytes) noexcept {
  return std::max<std::size_t>(1, 32768 / item_bytes);
}

/// The items [begin, end) of a member's share.
struct share {
  std::size_t begin, end;
};
[[nodiscard]] share share_of(group const& g, std::size_t items, std::size_t item_bytes);

/// Each member combines its share of the items, and writes it to all. What follows from the type is in `combine`.
void reduce_many(group& g, std::byte* dest, std::byte const* source, std::size_t items, std::size_t item_bytes,
                 combine_items combine);

/// The items of all members, in their order.
template <class Combine, class T, class Items>
void combine_few(group const& g, T* dest, std::size_t items, Items&& items_of) {
  if (items == 1) {
    T found = *items_of(0);
    for (int member = 1; member < g.size(); ++member) found = Combine::of(found, *items_of(member));
    *dest = found;
    return;
  }
  alignas(16) std::byte found[box_bytes];
  std::memcpy(found, items_of(0), items * sizeof(T));
  for (int member = 1; member < g.size(); ++member)
    combine_into<Combine>(reinterpret_cast<T*>(found), items_of(member), items);
  std::memcpy(static_cast<void*>(dest), found, items * sizeof(T));
}
template <class Combine, class T>
[[gnu::noinline]] void reduce_few(group& g, T* dest, T const* source, std::size_t items) {
  std::memcpy(g.next_box(), source, items * sizeof(T));
  g.meet();
  seen const all(g, items * sizeof(T));
  combine_few<Combine>(g, dest, items,
                       [&](int member) { return reinterpret_cast<T const*>(all.of(member, g.box(member))); });
}

template <class Combine, class T>
void reduce_in(group&& g, T* dest, T const* source, std::size_t items) {
  if (g.tells(bytes_in<T>(items))) {
    g.meet_telling(source, 0, items * sizeof(T));
    return combine_few<Combine>(g, dest, items, [&](int member) {
      return member == g.me() ? source : reinterpret_cast<T const*>(g.told(member));
    });
  }
  if (g.is_team() && bytes_in<T>(items) <= box_bytes) return reduce_few<Combine>(g, dest, source, items);
  reduce_many(g, reinterpret_cast<std::byte*>(dest), reinterpret_cast<std::byte const*>(source), items, sizeof(T),
              &combine<Combine, T>);
}

/// `inclusive`: with the PE's own values.
template <class T>
void scan_in(group&& g, T* dest, T const* source, std::size_t items, bool inclusive) {
  g.meet();
  share const mine = share_of(g, items, sizeof(T));
  std::vector<T> sum(std::min(piece_items(sizeof(T)), mine.end - mine.begin));
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

template <class Combine, class T>
void reduce_team(tess_shmem_team& team, T* dest, T const* source, std::size_t items) {
  if (items != 1 || team.other == nullptr) return reduce_in<Combine>(group(team), dest, source, items);
  T const mine = *source;
  auto const theirs = reinterpret_cast<T const*>(meet_other(team, &mine, sizeof mine, [] {}));
  *dest = team.me == 0 ? Combine::of(mine, *theirs) : Combine::of(*theirs, mine);
}

#define TESS_SHMEM_REDUCTION(NAME)                                                                                     \
  template <class T>                                                                                                   \
  int NAME##_reduce(shmem_team_t team, T* dest, T const* source, std::size_t nreduce) {                                \
    reduce_team<combine_##NAME>(of(team), dest, source, nreduce);                                                      \
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
