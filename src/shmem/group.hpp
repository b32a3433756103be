// group: the PEs of a collective, a team or an active set, and how they meet.
//
//   A barrier is by dissemination: in round k each PE tells those 8^k, 2 * 8^k, … 7 * 8^k after it and waits for as
//   many before it, so that up to 8 PEs meet in one round. A team has flags of its own at each PE, which hold how often
//   it has met. A flag of the first round shares its cache line with a few bytes, by which small collectives pass their
//   items. An active set has the longs of pSync, which are counted up by the others and down by the owner, so that they
//   are zero between its collectives; as they are few, a PE of it tells only the one 2^k after it in round k.
//
// Threads   one of each PE for one group at a time.
// Cost      log8(PEs) rounds, each up to 7 cache lines that move at the same time.
// Source    Hensgen, Finkel, Manber: Two algorithms for barrier synchronization (IJPP 1988); n-way dissemination:
//           Hoefler et al., Fast barrier synchronization for InfiniBand (IPDPS 2006); OpenSHMEM 1.5, 9.9.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "shmem/address.hpp"
#include "shmem/context.hpp"
#include "shmem/delayed.hpp"
#include "shmem/network.hpp"
#include "shmem/waiting.hpp"

namespace tess::shmem {

inline constexpr int fan = 8;         ///< so many PEs meet in one round
inline constexpr int rounds_max = 4;  ///< of 4,096 PEs
#if defined(__riscv)
// They are in tile-local memory.
inline constexpr std::size_t box_bytes = 1024;
inline constexpr int teams_max = 64;
#else
inline constexpr std::size_t box_bytes = 2048;
inline constexpr int teams_max = 1024;
#endif
inline constexpr std::size_t told_bytes = 56;

/// What a PE tells another one in a round.
struct alignas(64) told_line {
  std::byte bytes[told_bytes];
  std::atomic<std::uint64_t> met;  ///< written last
};
static_assert(sizeof(told_line) == 64);

/// A team's memory at a PE.
struct team_area {
  /// By rounds and by how far before this PE the other one is. The first round has two rows, which take turns: who
  /// tells may be a meeting ahead of who reads.
  told_line lines[1 + rounds_max][fan - 1];
  /// Values that all others read after the next meeting; by turns, as the slowest reader may be one meeting behind.
  alignas(64) std::byte box[2][box_bytes];
};
#if !defined(__riscv)
static_assert(sizeof(team_area) * teams_max <= network_words::offset);
static_assert(network_words::offset + sizeof(network_words) <= detail::shmem_job::data_offset);
#endif

/// Null: no window to the PE.
inline team_area* area_of(int pe, int team) {
  std::byte* const system = system_of(pe);
  return system == nullptr ? nullptr : reinterpret_cast<team_area*>(system) + team;
}

/// What was given to PEs without a window is there before anybody is told.
inline void complete_given() {
  if (own.network != nullptr) [[unlikely]]
    own.network->quiet(own.network->given());
}

/// Few bytes, mostly one word.
inline void copy_told(std::byte* to, std::byte const* from, std::size_t bytes) {
  if (bytes == 8) [[likely]]
    std::memcpy(to, from, 8);
  else if (bytes != 0)
    std::memcpy(to, from, bytes);
}

/// A meeting of a team of two, in which each gives the other few bytes. `meanwhile` is done while these are on their
/// way. Returns what the other gave, which stays until this PE meets again.
template <class Meanwhile>
[[gnu::always_inline]] inline std::byte const* meet_other(tess_shmem_team& team, void const* values, std::size_t bytes,
                                                          Meanwhile&& meanwhile) {
  settle();
  std::uint64_t const met = ++team.meetings;
  std::size_t const line = met % 2 * (fan - 1);
  copy_told(team.other[line].bytes, static_cast<std::byte const*>(values), bytes);
  team.other[line].met.store(met, std::memory_order_release);
  meanwhile();
  told_line const& told = team.mine[line];
  wait_for([&told, met] { return told.met.load(std::memory_order_acquire) >= met; });
  return told.bytes;
}

/// The team's flags at its PEs, which nobody has told anything yet.
void begin_meetings(tess_shmem_team& team);

class group {
 public:
  explicit group(tess_shmem_team& team)
      : start_(team.start), stride_(team.stride), size_(team.size), me_(team.me), team_(&team) {}
  /// An active set.
  group(int start, int log_stride, int size, long* psync);

  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int me() const noexcept { return me_; }
  [[nodiscard]] int pe(int member) const noexcept { return start_ + member * stride_; }
  [[nodiscard]] bool is_team() const noexcept { return team_ != nullptr; }
  /// -1: an active set.
  [[nodiscard]] int team_number() const noexcept { return team_ != nullptr ? team_->id : -1; }

  void meet() {
    if (team_ != nullptr)
      meet_telling(nullptr, 0, 0);
    else
      meet_set();
  }

  /// A team of so few PEs can pass so many bytes from each to each by meeting.
  [[nodiscard]] bool tells(std::size_t bytes) const noexcept {
    return team_ != nullptr && size_ <= fan && bytes <= told_bytes;
  }
  /// Meets; each other member is given the bytes at values + member * step, and finds them by `told` until this PE
  /// meets again. `meanwhile` is done while the flags are on their way.
  template <class Meanwhile>
  void meet_telling(void const* values, std::size_t step, std::size_t bytes, Meanwhile&& meanwhile) {
    auto const from = static_cast<std::byte const*>(values);
    if (team_->other != nullptr) {
      meet_other(*team_, from + (me_ == 0 ? step : 0), bytes, meanwhile);
      return;
    }
    settle();
    meanwhile();
    meet_team(from, step, bytes);
  }
  void meet_telling(void const* values, std::size_t step, std::size_t bytes) {
    meet_telling(values, step, bytes, [] {});
  }
  /// What another member gave to this one.
  [[nodiscard]] std::byte const* told(int member) const {
    int const before = me_ > member ? me_ - member : me_ - member + size_;
    return team_->mine[team_->meetings % 2 * (fan - 1) + static_cast<std::size_t>(before) - 1].bytes;
  }

  /// Where this PE puts what the others read after the next meeting; only of a team. `box(member)` is theirs then.
  std::byte* next_box() {
    ++team_->exchanges;
    return box(me_);
  }
  /// Null: no window; then `far_box` is where the fabric finds it.
  [[nodiscard]] std::byte* box(int member) const {
    team_area* const area = area_of(pe(member), team_->id);
    return area == nullptr ? nullptr : area->box[team_->exchanges % 2];
  }
  [[nodiscard]] std::uint64_t far_box(int member) const;

  /// After this, each member has counts[member]: of a team or a set.
  void gather_counts(std::size_t count, std::size_t* counts);

 private:
  void meet_team(std::byte const* values, std::size_t step, std::size_t bytes);
  /// To those without a window.
  void give_far(std::byte const* values, std::size_t step, std::size_t bytes, std::uint64_t met);
  /// The member so far after this one.
  [[nodiscard]] int after(int distance) const noexcept {
    int const member = me_ + distance;
    return member < size_ ? member : member - size_;
  }
  void meet_set();

  int start_, stride_, size_, me_;
  tess_shmem_team* team_ = nullptr;
  long* psync_ = nullptr;
};

/// All items at a member; null: no window to it. This PE's own are where the program has them: two windows differ in
/// few bits of their addresses, by which some processors look up their first cache, so that a loop should not use both.
template <class T>
T* at_member(group const& g, T* address, std::size_t items, int member) {
  T* const there = at_pe(address, items, g.pe(member));
  return member == g.me() && address != nullptr ? address : there;
}

/// What all members have after a meeting, in their boxes or at a symmetric address: where this PE sees it, or a copy.
class seen {
 public:
  /// The boxes.
  seen(group const& g, std::size_t bytes) {
    if (own.network != nullptr) [[unlikely]]
      fetch(g, nullptr, bytes);
  }
  seen(group const& g, void const* address, std::size_t bytes) {
    if (own.network != nullptr) [[unlikely]]
      fetch(g, address, bytes);
  }
  template <class T>
  [[nodiscard]] T const* of(int member, T const* seen_there) const {
    if (seen_there != nullptr) [[likely]]
      return seen_there;
    return reinterpret_cast<T const*>(copies_.data() + static_cast<std::size_t>(member) * distance_);
  }

 private:
  void fetch(group const& g, void const* address, std::size_t bytes);

  std::vector<std::byte> copies_;
  std::size_t distance_ = 0;
};

}  // namespace tess::shmem
