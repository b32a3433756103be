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

#include "shmem/address.hpp"
#include "shmem/context.hpp"

namespace tess::shmem {

inline constexpr int rounds_max = 13;  // of 4,096 PEs
inline constexpr std::size_t box_bytes = 2048;
inline constexpr int teams_max = 1024;

/// A team's memory at a PE.
struct team_area {
  struct alignas(64) flag {
    std::atomic<std::uint64_t> met;
  };
  flag round[rounds_max];
  /// Values that all others read after the next meeting; by turns, as the slowest reader may be one meeting behind.
  alignas(64) std::byte box[2][box_bytes];
};
static_assert(sizeof(team_area) * teams_max <= detail::shmem_job::data_offset);

inline team_area& area_of(int pe, int team) {
  return reinterpret_cast<team_area*>(slot_of(pe))[team];
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
  [[nodiscard]] std::byte* box(int member) const { return area_of(pe(member), team_->id).box[team_->exchanges % 2]; }

  /// After this, each member has counts[member]: of a team or a set.
  void gather_counts(std::size_t count, std::size_t* counts);

 private:
  void meet_team();
  void meet_set();

  int start_, stride_, size_, me_;
  tess_shmem_team* team_ = nullptr;
  long* psync_ = nullptr;
};

/// All items at a member.
template <class T>
T* at_member(group const& g, T const* address, std::size_t items, int member) {
  return at_pe(address, items, g.pe(member));
}

}  // namespace tess::shmem
