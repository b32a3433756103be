// group: the PEs of a collective, a team or an active set, and how they meet.
//
//   A barrier is by dissemination: in round k each PE tells the one 2^k after it and waits for the one 2^k before it.
//   A team has flags of its own at each PE, which hold how often it has met. An active set has the longs of pSync,
//   which are counted up by the others and down by the owner, so that they are zero between its collectives.
//
// Threads   one of each PE for one group at a time.
// Cost      log2(PEs) rounds, each a cache line.
// Source    Hensgen, Finkel, Manber: Two algorithms for barrier synchronization (IJPP 1988); OpenSHMEM 1.5, 9.9.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shmem/address.hpp"
#include "shmem/context.hpp"
#include "shmem/network.hpp"

namespace tess::shmem {

inline constexpr int rounds_max = 13;  // of 4,096 PEs
#if defined(__riscv)
// They are in tile-local memory.
inline constexpr std::size_t box_bytes = 1024;
inline constexpr int teams_max = 64;
#else
inline constexpr std::size_t box_bytes = 2048;
inline constexpr int teams_max = 1024;
#endif

/// A team's memory at a PE.
struct team_area {
  struct alignas(64) flag {
    std::atomic<std::uint64_t> met;
  };
  flag round[rounds_max];
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

  void meet() {
    if (team_ != nullptr)
      meet_team();
    else
      meet_set();
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
  void meet_team();
  void meet_set();

  int start_, stride_, size_, me_;
  tess_shmem_team* team_ = nullptr;
  long* psync_ = nullptr;
};

/// All items at a member; null: no window to it.
template <class T>
T* at_member(group const& g, T const* address, std::size_t items, int member) {
  return at_pe(address, items, g.pe(member));
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
