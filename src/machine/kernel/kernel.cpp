// kernel: the loop, and the list of processes.
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

void kernel::run() {
  stopped_ = false;
  last_ = ~picoseconds{0};
  while (!stopped_) {
    event* const next = events_.take();
    if (next == nullptr) return;
    now_ = next->due;
    ++happened_;
    next->happens(*next);
  }
}

bool kernel::run_on(picoseconds last) {
  stopped_ = false;
  last_ = last;
  while (event* const next = events_.take_until(last)) {
    now_ = next->due;
    ++happened_;
    next->happens(*next);
    if (stopped_) return false;
  }
  return !idle();
}

void kernel::run_until(picoseconds last) {
  (void)run_on(last);
  if (!stopped_) now_ = last;
}

}  // namespace tess::machine
