// calendar: the uncommon paths: sorted insertion and the far future.
#include "machine/kernel/calendar.hpp"

#include <algorithm>

namespace tess::machine {

void calendar::put_sorted(slot_list& list, event& added) noexcept {
  // The last event happens after the added one, so `last` stays.
  event** at = &list.first;
  while (follows(added, **at)) at = &(*at)->next;
  added.next = *at;
  *at = &added;
}

void calendar::put_beyond(event& added) {
  beyond_.push_back({added.due, order_++, &added});
  std::ranges::push_heap(beyond_, later);
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
