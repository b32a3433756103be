// waiters: counts the tasks that wait for an event, so that tests can step through orders with several workers.
#pragma once

#include "tess/tess.hpp"

namespace tess::test {

template <class Event>
unsigned waiters_of(Event& event) {
  detail::wait_list& line = detail::access::line(event);
  std::uint64_t const state = line.open();
  unsigned n = 0;
  if (detail::wait_list::has_waiters(state)) {
    detail::waiter const* const first = &detail::wait_list::first(state);
    detail::waiter const* w = first;
    do {
      ++n;
      w = w->next;
    } while (w != first);
  }
  line.close(state);
  return n;
}

/// Goes on when `count` tasks or calls wait.
template <class Event>
task<void> until_waiting(Event& event, unsigned count) {
  // Counting holds the lock for as long as the line is: not too often.
  while (waiters_of(event) != count)
    for (int i = 0; i < 20; ++i) co_await yield();
}

}  // namespace tess::test
