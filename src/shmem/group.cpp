// group: barriers of teams and of active sets.
#include "shmem/group.hpp"

#include <cstring>
#include <string>

#include "shmem/waiting.hpp"

namespace tess::shmem {

namespace {

// Words of pSync: the first ones are those of the barrier's rounds.
constexpr int count_word = rounds_max;
static_assert(count_word < SHMEM_SYNC_SIZE);

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
  std::uint64_t const met = ++team_->meetings;
  team_area& mine = area_of(own.pe, team_->id);
  for (int round = 0; 1 << round < size_; ++round) {
    int const next = me_ + (1 << round);
    area_of(pe(next < size_ ? next : next - size_), team_->id).round[round].met.store(met, std::memory_order_release);
    auto const& told = mine.round[round].met;
    wait_for([&] { return told.load(std::memory_order_acquire) >= met; });
  }
}

void group::meet_set() {
  for (int round = 0; 1 << round < size_; ++round) {
    __atomic_fetch_add(at_pe(psync_ + round, 1, pe((me_ + (1 << round)) % size_)), 1, __ATOMIC_ACQ_REL);
    wait_for([&] { return __atomic_load_n(psync_ + round, __ATOMIC_ACQUIRE) >= 1; });
    __atomic_fetch_sub(psync_ + round, 1, __ATOMIC_ACQ_REL);
  }
}

void group::gather_counts(std::size_t count, std::size_t* counts) {
  if (is_team()) {
    std::memcpy(next_box(), &count, sizeof count);
    meet();
    for (int member = 0; member < size_; ++member) std::memcpy(&counts[member], box(member), sizeof count);
    return;
  }
  psync_[count_word] = static_cast<long>(count);
  meet();
  for (int member = 0; member < size_; ++member)
    counts[member] = static_cast<std::size_t>(*at_pe(psync_ + count_word, 1, pe(member)));
  meet();
  psync_[count_word] = SHMEM_SYNC_VALUE;
}

}  // namespace tess::shmem
