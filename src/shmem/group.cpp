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
constexpr int count_word = rounds_max;
static_assert(count_word < SHMEM_SYNC_SIZE);

/// A flag of a team at a PE without a window.
std::uint64_t far_flag(int pe, int team, int round) {
  auto const offset = static_cast<std::uint64_t>(team) * sizeof(team_area) +
                      static_cast<std::uint64_t>(round) * sizeof(team_area::flag);
  return own.network->in_system(pe, offset);
}

}  // namespace

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

void group::meet_team() {
  complete_given();
  std::uint64_t const met = ++team_->meetings;
  team_area& mine = *area_of(own.pe, team_->id);
  for (int round = 0; 1 << round < size_; ++round) {
    int const after = me_ + (1 << round);
    int const next = pe(after < size_ ? after : after - size_);
    if (team_area* const area = area_of(next, team_->id)) [[likely]]
      area->round[round].met.store(met, std::memory_order_release);
    else
      own.network->raise(far_flag(next, team_->id, round), met);
    auto const& told = mine.round[round].met;
    wait_for([&] { return told.load(std::memory_order_acquire) >= met; }, &told);
  }
}

void group::meet_set() {
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
