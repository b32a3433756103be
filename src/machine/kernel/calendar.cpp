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

std::uint64_t calendar::far_used_slot() const noexcept {
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

void calendar::take_over() noexcept {
  while (!beyond_.empty() && (beyond_.front().due >> shift_) - cursor_ < slots) {
    std::ranges::pop_heap(beyond_, later);
    distant const nearest = beyond_.back();
    beyond_.pop_back();
    put_in_slot(*nearest.waiting, nearest.due >> shift_);
  }
}

}  // namespace tess::machine
