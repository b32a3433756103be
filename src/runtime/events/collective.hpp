// collective: counters of the collectives, at a fixed offset of every segment or in the records of members of a team.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/events/fence_others.hpp"
#include "tess/collective.hpp"
#include "tess/detail/tasks/completion.hpp"
#include "tess/global_ptr.hpp"

namespace tess::detail {

/// Places up to this many exchange values directly.
inline constexpr unsigned direct_places = 8;
inline constexpr unsigned rounds_max = 16;  ///< 2^16 places
/// What a member publishes in an exchange, up to so many bytes, needs no memory of its own.
inline constexpr std::size_t room_bytes = 2048;

/// A barrier has so many rounds, in each of which a member notifies one other.
constexpr unsigned barrier_rounds(unsigned size) noexcept {
  return static_cast<unsigned>(std::bit_width(size - 1));
}
constexpr unsigned barrier_peer(unsigned rank, unsigned round, unsigned size) noexcept {
  return (rank + (1U << round)) % size;
}

class member_view;

/// Whether all members of a team reach each other's segments by plain loads and stores.
enum class memory_sharing : std::uint8_t { unknown, no, yes };

/// How long parts get to other members of a team that shares memory: by staging memory, or read from where they lie.
enum class part_way : std::uint8_t { staged, read };

/// What rank 0 knows of both ways for parts of about one size, and what all use next.
struct way_record {
  std::array<float, 2> ns_per_byte{};  ///< 0: not measured yet
  std::uint32_t exchanges = 0;
  part_way next = part_way::staged;
  part_way proposed = part_way::staged;  ///< by this member, if it has rank 0
};
inline constexpr std::size_t way_sizes = 5;

/// A member's steps, which others of a small team that maps its segment see and wait for.
class step_word {
 public:
  /// Returns the ranks that wait for this step, as bits; they are to be notified. `waiters_fence`: as for wait_fence().
  [[nodiscard]] unsigned raise(std::uint64_t step, bool waiters_fence) noexcept {
    // release: what the member shows. A locked instruction would hold up the loads that follow until the line is here.
    word_.store(step, std::memory_order_release);
    // Either whoever is about to wait sees the step, or its bit is seen here.
    if (waiters_fence)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic<std::uint8_t>& waiting = waiting_[step % 2];
    return waiting.load(std::memory_order_relaxed) == 0 ? 0 : waiting.exchange(0, std::memory_order_relaxed);
  }
  [[nodiscard]] bool raised(std::uint64_t step) const noexcept { return word_.load(std::memory_order_acquire) >= step; }
  /// Who raises the step is to notify this rank. The caller then calls wait_fence(), unless all that it asked have
  /// raised the step meanwhile, and will_notify().
  void ask(std::uint64_t step, unsigned rank) noexcept {
    waiting_[step % 2].fetch_or(bit_of(rank), std::memory_order_relaxed);
  }
  /// False: it has been raised, and nobody notifies.
  [[nodiscard]] bool will_notify(std::uint64_t step, unsigned rank) noexcept {
    if (!raised(step)) return true;
    std::uint8_t const bit = bit_of(rank);
    auto const others = static_cast<std::uint8_t>(~bit);
    return (waiting_[step % 2].fetch_and(others, std::memory_order_relaxed) & bit) == 0;
  }

 private:
  static std::uint8_t bit_of(unsigned rank) noexcept { return static_cast<std::uint8_t>(1U << rank); }

  std::atomic<std::uint64_t> word_{0};  ///< the last step
  /// The ranks that wait for an even step and for an odd one. Two, because a member that raised step n may read it
  /// late, when others already wait for step n + 1.
  std::array<std::atomic<std::uint8_t>, 2> waiting_{};
};
static_assert(direct_places <= 8);

/// Between ask() and will_notify(). `waiters_fence`: who waits fences for those that raise, which have no fence then.
inline void wait_fence(bool waiters_fence) noexcept {
  if (waiters_fence)
    fence_others();
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// What the members of a small team learn in the first of a row of collectives: whether each reaches the segments of
/// all by plain loads and stores, and has a processor to look for what the others do; and whether each can fence for
/// the others. A member that does says so to all of them; if all have told it so, all have told everybody.
class reach_record {
 public:
  /// The member begins its next collective of the row; the one before has ended here.
  void begin(member_view const& team) noexcept {
    if (knows_ < known::no) learn(team);
  }
  [[nodiscard]] bool all_reach_all() const noexcept { return knows_ == known::yes; }
  /// All can fence for the others, and those that wait do.
  [[nodiscard]] bool waiters_fence() const noexcept { return waiters_fence_; }

 private:
  void learn(member_view const& team) noexcept;

  enum class said : std::uint8_t { nothing, reaches_all, can_fence_too };
  std::array<std::atomic<said>, direct_places> reached_by_{};  ///< what that rank said
  enum class known : std::uint8_t { nothing, has_spoken, no, yes } knows_ = known::nothing;
  bool waiters_fence_ = false;
};

/// What a member shows the others with a step of an exchange, in one cache line; shared_steps.hpp.
struct alignas(64) step_line {
  step_word word;
  std::uint64_t length = 0;
  std::uint32_t fault = 0;
  part_way way = part_way::staged;  ///< by rank 0: of the next exchange of parts of about this size
  alignas(16) std::byte bytes[32];
};
static_assert(sizeof(step_line) == 64);

/// Memory through which a member shows longer bytes.
struct staging_ring {
  std::uint64_t memory = 0;  ///< address; 0: not needed yet
  std::uint64_t used = 0;    ///< before the next bytes
};
inline constexpr std::uint32_t staging_bytes_min = 64U << 10U, staging_bytes_max = 2U << 20U;

/// One per member. Everything exists twice, because a member can be one episode ahead of another, but never two.
struct collective_state {
  struct alignas(64) value_slot {
    std::byte bytes[collective_bytes];
  };
  struct episode {
    std::array<completion, rounds_max> barrier;
    completion direct;
    std::array<completion, rounds_max> up;
    completion down;
    std::array<value_slot, direct_places> direct_values;
    std::array<value_slot, rounds_max> up_values;
    struct alignas(64) {
      std::byte bytes[2 * collective_bytes];
    } down_values;
  };
  std::uint64_t barriers = 0;
  unsigned barrier_round = 0;      ///< of the barrier under way
  bool barrier_sent = false;       ///< the peer of that round has been notified, or this member's step is raised
  std::uint8_t barrier_asked = 0;  ///< ranks that will notify this one of their step in that barrier
  bool sweep_given_up = false;     ///< one ended by an exception: values for it may still arrive
  std::uint64_t sweeps = 0;
  std::uint64_t exchanges = 0;
  std::uint64_t published = 0;  ///< address of what this member lets the others read during an exchange
  struct alignas(64) room {
    std::byte bytes[room_bytes];
  };
  std::array<room, 2> rooms;
  memory_sharing sharing = memory_sharing::unknown;
  std::uint64_t steps = 0;              ///< of exchanges through shared memory
  completion arrival;                   ///< steps of others that this member waits for
  std::array<staging_ring, 2> staging;  ///< of staging_bytes_min, and of the following
  std::uint32_t staging_bytes = 0;      ///< less in small segments; all members have the same
  std::uint64_t own_address = 0;        ///< of this state in the member's process
  std::int32_t process = 0;
  bool reads_others = false;            ///< each member can read the memory of all the others' processes
  bool exchange_waiters_fence = false;  ///< each member has a processor and can fence for the others
  std::array<way_record, way_sizes> ways;
  reach_record barrier_reach;
  reach_record sweep_reach;
  std::array<step_word*, direct_places> barrier_steps{};  ///< of the members, if all reach all
  alignas(64) step_word barrier_step;
  std::array<step_line, 2> lines;
  std::array<episode, 2> episodes;
};

/// Throws tess::error if a reduction or exchange of this team ended by an exception at this member.
void check_not_given_up(collective_state const& s);

/// A member's record of its team. It has the peers that the collectives need: 2^k ranks on, and the parent in the tree;
/// in small teams all members.
struct team_record {
  unsigned rank = 0;
  unsigned size = 0;
  std::uint64_t members = 0;  ///< address of the members' records, by rank: a part of the split's table
  std::uint64_t table = 0;    ///< address of that table
  std::array<std::uint64_t, rounds_max> next{};
  std::uint64_t parent = 0;
  std::array<std::uint64_t, direct_places> all{};
  collective_state state;
};

/// A team as the collectives see it.
class member_view {
 public:
  /// Throws tess::error if the caller's place is no member.
  explicit member_view(team_name team);

  [[nodiscard]] collective_state& state() const noexcept { return *state_; }
  [[nodiscard]] unsigned rank() const noexcept { return rank_; }
  [[nodiscard]] unsigned size() const noexcept { return size_; }
  /// Addresses of something of this member's state in the states of others: 2^k ranks on, at the parent in the tree,
  /// and at any rank of a small team.
  [[nodiscard]] std::uint64_t next(void const* mine, unsigned k) const noexcept {
    return there(record_ == nullptr ? world(barrier_peer(rank_, k, size_)) : record_->next[k], mine);
  }
  [[nodiscard]] std::uint64_t parent(void const* mine) const noexcept {
    return there(record_ == nullptr ? world(rank_ & (rank_ - 1)) : record_->parent, mine);
  }
  [[nodiscard]] std::uint64_t any(void const* mine, unsigned rank) const noexcept {
    return there(record_ == nullptr ? world(rank) : record_->all[rank], mine);
  }
  /// In larger teams the table with the addresses of the members' records, by rank; 0: any() knows every rank.
  [[nodiscard]] std::uint64_t table() const noexcept {
    return record_ == nullptr || size_ <= direct_places ? 0 : record_->members;
  }
  /// The address of something of this member's state in the state within another's record.
  [[nodiscard]] std::uint64_t in_record(std::uint64_t record, void const* mine) const noexcept {
    return there(record + offsetof(team_record, state), mine);
  }

 private:
  void use_record(team_name team);
  [[nodiscard]] std::uint64_t world(unsigned rank) const noexcept;
  [[nodiscard]] std::uint64_t there(std::uint64_t state, void const* mine) const noexcept {
    return state +
           static_cast<std::uint64_t>(static_cast<std::byte const*>(mine) - reinterpret_cast<std::byte const*>(state_));
  }

  team_record const* record_ = nullptr;  ///< null: all places
  collective_state* state_;
  unsigned rank_;
  unsigned size_;
};

inline constexpr std::uint64_t collective_offset = 4096;
inline constexpr std::uint64_t symmetric_begin = 16384;
static_assert(collective_offset + sizeof(collective_state) <= symmetric_begin);

}  // namespace tess::detail
