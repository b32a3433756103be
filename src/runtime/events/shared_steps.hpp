// shared_steps: the steps of an exchange between members that map each other's segments: show, wait, read.
//
//   Each member has a line for odd steps and one for even steps. It writes what the others are to read, or its address,
//   and then raises the line's step; the others see that, and read. No answer is needed: who raises step n + 1 has read
//   all of step n, so whoever has seen step n + 1 of all may write over step n.
//
//   Longer bytes go through staging memory, a ring. It is larger than a core's caches: lines that others have read last
//   a while ago come from the shared cache or memory, which is up to three times as fast as lines that two cores took
//   from each other just before. Short bytes have a small ring, where the same lines take turns.
//
//   A member first looks for the lines of others by itself. If they take long, it leaves its rank in the line of each
//   and parks; whoever raises the step finds those ranks, and notifies their members.
//
//   Parts from `read_bytes_min` on may also be read from where they lie, in the memory of the member's process: one
//   copy, after which everybody waits until all have read. That takes some microseconds and the system's time for each
//   page. Where two cores share no cache it is several times as fast nevertheless, because no line goes back and forth.
//   Rank 0 measures both ways, and says with each exchange which one is the next.
//
// Threads  one task of a member at a time.
// Errors   place_failed while parked. After an exception the member takes part in no further exchange of the team.
// Cost     two cache lines that move, from each member to each other. The rings, 64 KiB and 2 MiB, are allocated when
//          first needed and kept with the team.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/events/agreement.hpp"
#include "runtime/events/collective.hpp"
#include "runtime/finish/finish.hpp"
#include "runtime/job/job.hpp"
#include "runtime/tasks/worker_loop.hpp"

namespace tess::detail {

inline constexpr wait_kind exchange_wait{"exchange", &give_up_cell, true};

/// What lies at an address of another member, which this one reaches by plain loads and stores.
[[nodiscard]] inline std::byte* through_window(std::uint64_t address) noexcept {
  return bytes_of_window(job.atomic_window[place_of(address)]) + offset_of(address);
}

/// Looks for what others are about to do, as long as nobody else at this worker could use the time. False: it takes
/// long.
template <class Done>
[[nodiscard]] bool look_for(Done&& done) noexcept {
  if (done()) return true;
  worker_state& w = this_worker();
  if (!w.may_spin) return false;
  // Others may wait for these before they come.
  if (!w.outgoing.empty()) w.outgoing.flush_idle(w);
  constexpr int looks = 32;
  // Nearly all that come at the same time are seen without a pause, which takes a fifth of the time that a line takes.
  constexpr int rounds_without_pause = 4;
  for (int round = 0; round < rounds_without_pause; ++round) {
    for (int i = 0; i < looks; ++i)
      if (done()) return true;
    if (!w.runnable.empty() || !w.unstarted.empty()) return false;
  }
  constexpr int polls = 300;
  for (int poll_count = 0; poll_count < polls; ++poll_count) {
    serve_others(w);
    if (!w.runnable.empty() || !w.unstarted.empty()) return false;
    for (int i = 0; i < looks; ++i) {
      spin_pause();
      if (done()) return true;
    }
  }
  return false;
}

class shared_steps {
 public:
  /// Shorter parts are never read from where they lie.
  static constexpr std::size_t read_bytes_min = std::size_t{48} << 10U;
  /// What the line itself can carry.
  static constexpr std::size_t carried_bytes = sizeof(step_line::bytes);

  /// For teams whose members share memory. `waiters_fence`: as for wait_fence().
  shared_steps(member_view const& team, bool waiters_fence);

  [[nodiscard]] unsigned rank() const noexcept { return rank_; }
  [[nodiscard]] unsigned size() const noexcept { return size_; }
  /// The most that a member shows with a step: the step before and the next one have room in any part of a ring.
  [[nodiscard]] std::size_t piece_bytes_max() const noexcept { return team_.state().staging_bytes / 4; }

  /// Before the first step: what all are to learn. `staged`: the most bytes in staging memory with a step.
  void say(std::uint64_t length, exchange_fault fault, std::size_t staged);
  /// False: there was no memory.
  [[nodiscard]] bool has_staging() const noexcept { return ring_ != nullptr; }

  /// Where this member's bytes of the step to come go: in its line, or in staging memory.
  [[nodiscard]] std::byte* next_carried() noexcept { return next_line().bytes; }
  [[nodiscard]] std::byte* next_staged(std::size_t bytes) noexcept;

  /// The next step: this member's bytes are there.
  void raise() noexcept;
  /// True once all others have raised it, too; false: it takes long, and arrival() is to be awaited.
  [[nodiscard]] bool there() noexcept;
  [[nodiscard]] task<void> arrival(wait_kind const& kind = exchange_wait);

  /// After the first step. Throws what is wrong at a member; that is the end of the exchange at all of them.
  void check(std::uint64_t own_bytes);

  /// That it could.
  [[nodiscard]] bool can_read(unsigned rank) const noexcept;
  /// Copies from an address of a member's process; false: it cannot be read, because the process has ended.
  [[nodiscard]] bool read(unsigned rank, std::uint64_t address, std::span<std::byte> into) const noexcept;

  /// How parts of so many bytes are exchanged now; all members that have such parts say the same.
  [[nodiscard]] part_way way(std::size_t part_bytes) noexcept;
  /// After check(), of parts of which all have so many bytes: what rank 0 wants next time; and what it learned.
  void take_way(std::size_t part_bytes) noexcept;
  void note_way(std::size_t part_bytes, part_way used, float ns) noexcept;

  /// What a member, also this one, shows with this step.
  [[nodiscard]] std::byte const* carried(unsigned rank) const noexcept { return line(rank, step_).bytes; }
  [[nodiscard]] std::byte const* staged(unsigned rank) const noexcept;

  void end() noexcept;

 private:
  [[nodiscard]] step_line& line(unsigned rank, std::uint64_t step) const noexcept { return of_[rank]->lines[step % 2]; }
  [[nodiscard]] step_line& next_line() const noexcept { return line(rank_, step_ + 1); }
  [[nodiscard]] bool raised(unsigned rank) const noexcept { return line(rank, step_).word.raised(step_); }
  [[nodiscard]] bool all_raised() const noexcept;
  void notify(unsigned ranks) noexcept;
  [[nodiscard]] bool has_ways(std::size_t part_bytes) const noexcept {
    return part_bytes >= read_bytes_min && size_ > 1 && team_.state().reads_others;
  }
  [[nodiscard]] way_record& ways(std::size_t part_bytes) const noexcept;

  member_view team_;
  unsigned rank_;
  unsigned size_;
  bool waiters_fence_;
  std::uint64_t step_;
  std::array<collective_state*, direct_places> of_;
  staging_ring* ring_ = nullptr;  ///< null: nothing is staged
  std::size_t ring_bytes_ = 0;
  std::byte* next_staged_ = nullptr;  ///< of the step to come
};

/// Whether the members of a team share memory; the first time they find out together.
[[nodiscard]] inline memory_sharing sharing_of(member_view const& team) noexcept {
  return team.size() <= direct_places ? team.state().sharing : memory_sharing::no;
}
[[nodiscard]] task<void> find_sharing(team_name name);

}  // namespace tess::detail
