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

void calendar::take_back(event& waiting) noexcept {
  std::uint64_t const slot = waiting.due >> shift_;
  auto const distant_one = std::ranges::find(beyond_, &waiting, &distant::waiting);
  --waiting_;
  if (distant_one != beyond_.end()) {
    *distant_one = beyond_.back();
    beyond_.pop_back();
    std::ranges::make_heap(beyond_, later);
    return;
  }
  slot_list& list = ring_[slot % slots];
  event* before = nullptr;
  for (event* at = list.first; at != &waiting; at = at->next) before = at;
  (before == nullptr ? list.first : before->next) = waiting.next;
  if (list.last == &waiting) list.last = before;
  if (list.first != nullptr) return;
  std::uint64_t& word = used_[slot % slots / 64];
  word &= ~(std::uint64_t{1} << slot % 64);
  if (word == 0) used_words_ = static_cast<word_set>(used_words_ & ~(1U << slot % slots / 64));
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
