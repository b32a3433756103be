// kernel: the event loop and the list of processes.
#include "machine/kernel/kernel.hpp"

#include <utility>

namespace tess::machine {

kernel::~kernel() {
  while (processes_.next != nullptr) {
    process::handle::from_promise(static_cast<process::promise_type&>(*processes_.next)).destroy();
  }
}

void kernel::start(process&& begun) {
  process::promise_type& promise = std::exchange(begun.handle_, nullptr).promise();
  process_link& link = promise;
  link.previous = &processes_;
  link.next = std::exchange(processes_.next, &link);
  if (link.next != nullptr) link.next->previous = &link;
  after(0, promise);
}

event* kernel::take_until(picoseconds last) {
  if (event* const next = events_.take_until(std::min(last, closing_due_))) return next;
  if (closing_ == nullptr || closing_due_ > last) return nullptr;
  event* const closed = std::exchange(closing_, closing_->next);
  closing_due_ = closing_ == nullptr ? never : closing_->due;
  last_closed_ = closed->due;
  closed->site = everywhere;
  return closed;
}

picoseconds kernel::next_due_at(std::uint32_t site, picoseconds reach_ps) const noexcept {
  picoseconds const next = next_due();
  picoseconds first = next + reach_ps;
  for (std::uint32_t const where : {everywhere, site}) {
    if (where >= sites_.size()) continue;
    if (sites_[where].packets != 0) return next;
    for (picoseconds const due : sites_[where].due) first = std::min(first, due);
  }
  bool const here = at_once_ != nullptr && (at_once_->site == everywhere || at_once_->site == site);
  return here ? now_ : first;
}

void kernel::happen(event& next) {
  rank_ = next.due == now_ ? std::max(rank_, next.rank) : next.rank;
  now_ = next.due;
  ++happened_;
  site_ = next.site;
  if (next.rank == 0) {
    std::vector<picoseconds>& due = sites_[site_].due;
    auto const one = std::ranges::find(due, now_);
    *one = due.back();
    due.pop_back();
  }
  next.happens(next);
  site_ = everywhere;  // for what is scheduled between runs
}

void kernel::happen_at_once() {
  event& next = *std::exchange(at_once_, nullptr);
  ++happened_;
  site_ = next.site;
  next.happens(next);
  site_ = everywhere;
}

void kernel::run() {
  stopped_ = false;
  while (!stopped_) {
    if (at_once_ != nullptr) {
      happen_at_once();
      continue;
    }
    event* const next = closing_ == nullptr ? events_.take() : take_until(never);
    if (next == nullptr) return;
    happen(*next);
  }
}

bool kernel::run_on(picoseconds last) {
  stopped_ = false;
  for (;;) {
    if (at_once_ != nullptr) {
      happen_at_once();
    } else if (event* const next = take_until(last)) {
      happen(*next);
    } else {
      return !idle();
    }
    if (stopped_) return false;
  }
}

void kernel::run_until(picoseconds last) {
  (void)run_on(last);
  if (!stopped_) now_ = last;
}

}  // namespace tess::machine
