// group: barriers of teams and of active sets.
#include "shmem/group.hpp"

#include <cstddef>
#include <cstring>
#include <string>

#include "shmem/far.hpp"
#include "shmem/waiting.hpp"

namespace tess::shmem {

namespace {

// Words of pSync: the first ones are those of the barrier's rounds.
constexpr int set_rounds_max = 13;  // of 4,096 PEs
constexpr int count_word = set_rounds_max;
static_assert(count_word < SHMEM_SYNC_SIZE);

/// Which row of lines a round has.
std::size_t row_of(int round, std::uint64_t met) {
  return round == 0 ? met % 2 : static_cast<std::size_t>(round) + 1;
}

/// A line of a team at a PE without a window.
std::uint64_t far_line(int pe, int team, std::size_t row, int times) {
  auto const offset = static_cast<std::uint64_t>(team) * sizeof(team_area) +
                      (row * (fan - 1) + static_cast<std::size_t>(times) - 1) * sizeof(told_line);
  return own.network->in_system(pe, offset);
}

}  // namespace

void begin_meetings(tess_shmem_team& team) {
  team_area& area = *area_of(own.pe, team.id);
  for (auto& row : area.lines)
    for (told_line& line : row) line.met.store(0);
  team.mine = area.lines[0];
  if (team.size != 2 || own.network != nullptr) return;
  team.other = area_of(team.start + (1 - team.me) * team.stride, team.id)->lines[0];
}

group::group(int start, int log_stride, int size, long* psync)
    : start_(start), stride_(log_stride >= 0 && log_stride < 31 ? 1 << log_stride : 0), size_(size), psync_(psync) {
  std::int64_t const last = start + static_cast<std::int64_t>(size - 1) * stride_;
  int const from_start = own.pe - start;
  bool const sound = stride_ > 0 && size >= 1 && start >= 0 && last < own.pes && from_start >= 0 &&
                     from_start % stride_ == 0 && from_start / stride_ < size;
  if (!sound) [[unlikely]]
    fail("the active set of PE_start " + std::to_string(start) + ", logPE_stride " + std::to_string(log_stride) +
             ", PE_size " + std::to_string(size),
         "PEs of the job, this one among them");
  me_ = from_start / stride_;
}

void group::give_far(std::byte const* values, std::size_t step, std::size_t bytes, std::uint64_t met) {
  for (int times = 1; times < size_; ++times) {
    int const member = after(times);
    if (area_of(pe(member), team_->id) != nullptr) continue;
    std::uint64_t const there = far_line(pe(member), team_->id, row_of(0, met), times);
    own.network->put_later(own.network->given(), there, values + static_cast<std::size_t>(member) * step, bytes);
  }
}

void group::meet_team(std::byte const* values, std::size_t step, std::size_t bytes) {
  std::uint64_t const met = ++team_->meetings;
  if (own.network != nullptr && bytes != 0) [[unlikely]]
    give_far(values, step, bytes, met);
  complete_given();
  for (int round = 0, distance = 1; distance < size_; ++round, distance *= fan) {
    std::size_t const row = row_of(round, met);
    for (int times = 1; times < fan && times * distance < size_; ++times) {
      int const member = after(times * distance);
      if (team_area* const area = area_of(pe(member), team_->id)) [[likely]] {
        told_line& line = area->lines[row][times - 1];
        copy_told(line.bytes, values + static_cast<std::size_t>(member) * step, bytes);
        line.met.store(met, std::memory_order_release);
      } else {
        std::uint64_t const there = far_line(pe(member), team_->id, row, times) + offsetof(told_line, met);
        own.network->raise(there, met);
      }
    }
    for (int times = 1; times < fan && times * distance < size_; ++times) {
      auto const& told = team_->mine[row * (fan - 1) + static_cast<std::size_t>(times) - 1].met;
      wait_for([&] { return told.load(std::memory_order_acquire) >= met; }, &told);
    }
  }
}

void group::meet_set() {
  settle();
  complete_given();
  for (int round = 0; 1 << round < size_; ++round) {
    int const next = pe((me_ + (1 << round)) % size_);
    if (long* const word = at_pe(psync_ + round, 1, next)) [[likely]]
      __atomic_fetch_add(word, 1, __ATOMIC_ACQ_REL);
    else
      fetch_far(word_op::fetch_add, psync_ + round, next, 1L);
    wait_for([&] { return __atomic_load_n(psync_ + round, __ATOMIC_ACQUIRE) >= 1; }, psync_ + round);
    __atomic_fetch_sub(psync_ + round, 1, __ATOMIC_ACQ_REL);
  }
}

void group::gather_counts(std::size_t count, std::size_t* counts) {
  if (tells(sizeof count)) {
    meet_telling(&count, 0, sizeof count);
    for (int member = 0; member < size_; ++member)
      std::memcpy(&counts[member], member == me_ ? reinterpret_cast<std::byte*>(&count) : told(member), sizeof count);
    return;
  }
  if (is_team()) {
    std::memcpy(next_box(), &count, sizeof count);
    meet();
    seen const all(*this, sizeof count);
    for (int member = 0; member < size_; ++member)
      std::memcpy(&counts[member], all.of(member, box(member)), sizeof count);
    return;
  }
  psync_[count_word] = static_cast<long>(count);
  meet();
  seen const all(*this, psync_ + count_word, sizeof(long));
  for (int member = 0; member < size_; ++member)
    counts[member] = static_cast<std::size_t>(*all.of(member, at_pe(psync_ + count_word, 1, pe(member))));
  meet();
  psync_[count_word] = SHMEM_SYNC_VALUE;
}

std::uint64_t group::far_box(int member) const {
  auto const offset = static_cast<std::uint64_t>(team_->id) * sizeof(team_area) + offsetof(team_area, box) +
                      team_->exchanges % 2 * box_bytes;
  return own.network->in_system(pe(member), offset);
}

void seen::fetch(group const& g, void const* address, std::size_t bytes) {
  constexpr std::size_t line = 64;
  distance_ = (bytes + line - 1) / line * line;
  copies_.resize(distance_ * static_cast<std::size_t>(g.size()));
  tess_shmem_pending pending;
  for (int member = 0; member < g.size(); ++member) {
    if (heap_of(g.pe(member)) != nullptr) continue;
    std::uint64_t const there = address == nullptr ? g.far_box(member) : far(address, bytes, g.pe(member));
    own.network->get_later(pending, there, copies_.data() + static_cast<std::size_t>(member) * distance_, bytes);
  }
  own.network->quiet(pending);
}

}  // namespace tess::shmem
