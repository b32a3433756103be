// calendar: what is off the common path: sorted insertion, the far future, and the way to the next used slot.
#include "machine/kernel/calendar.hpp"

#include <algorithm>

namespace tess::machine {

void calendar::put_sorted(slot_list& list, event& added) noexcept {
  // Behind all of equal time. The last one is later, so `last` stays.
  event** at = &list.first;
  while ((*at)->due <= added.due) at = &(*at)->next;
  added.next = *at;
  *at = &added;
}

void calendar::put_beyond(event& added) {
  beyond_.push_back({added.due, order_++, &added});
  std::ranges::push_heap(beyond_, later);
}

std::uint64_t calendar::next_used_slot() const noexcept {
  std::size_t const start = cursor_ % slots;
  std::size_t word = start / 64;
  std::uint64_t bits = used_[word] & (~std::uint64_t{0} << start % 64);
  // One word more than there are: the first one's lower half comes last.
  for (std::size_t looked = 0; looked <= used_.size(); ++looked) {
    if (bits != 0) {
      std::size_t const found = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return cursor_ + (found + slots - start) % slots;
    }
    word = (word + 1) % used_.size();
    bits = used_[word];
  }
  return none;
}

picoseconds calendar::next_due() const noexcept {
  return due_of(next_used_slot());
}

picoseconds calendar::due_of(std::uint64_t slot) const noexcept {
  // Whatever is in the ring is earlier than what lies beyond its horizon.
  return slot != none ? ring_[slot % slots].first->due : beyond_.front().due;
}

void calendar::advance(std::uint64_t slot) noexcept {
  cursor_ = slot != none ? slot : beyond_.front().due >> shift_;
  while (!beyond_.empty() && (beyond_.front().due >> shift_) - cursor_ < slots) {
    std::ranges::pop_heap(beyond_, later);
    distant const nearest = beyond_.back();
    beyond_.pop_back();
    put_in_slot(*nearest.waiting, nearest.due >> shift_);
  }
}

}  // namespace tess::machine
