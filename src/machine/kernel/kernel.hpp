// kernel: the deterministic event kernel: time, the events to come, and the processes that wait for them.
//
//   Everything that happens is an event of the calendar. A process waits by putting one there, in its own frame; a
//   device without a process keeps one as a member. Equal times happen in the order in which they were asked for, so a
//   simulation is a function of its inputs.
//
// Units     picoseconds.
// Errors    what a process throws comes out of run(); the kernel can go on afterwards, without that process.
// Threads   one. Kernels of several threads are independent.
// Cost      about 7 ns for an event of a process (`tess bench machine_kernel`); only frames are allocated,
//           from a pool.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>

#include "machine/kernel/calendar.hpp"
#include "machine/kernel/process.hpp"
#include "machine/kernel/time.hpp"

namespace tess::machine {

class kernel {
 public:
  /// `shortest_period_ps`: of the fastest clock. A wrong one costs speed, not correctness.
  explicit kernel(picoseconds shortest_period_ps) : events_(shortest_period_ps) {}
  kernel(kernel const&) = delete;
  kernel& operator=(kernel const&) = delete;
  /// Destroys the frames of all processes that still wait. Devices that they use must still be there.
  ~kernel();

  [[nodiscard]] picoseconds now() const noexcept { return now_; }

  /// `happening` is called at `due`, not before now.
  void at(picoseconds due, event& happening) {
    MACHINE_DEBUG_ASSERT(due >= now_);
    happening.due = due;
    events_.put(happening);
  }
  void after(picoseconds delay_ps, event& happening) { at(now_ + delay_ps, happening); }

  /// Takes the process over; it begins now, after what already waits for this time.
  void start(process&& begun);

  /// Awaited by a process: goes on after this time. Zero lets everything else of this time happen first.
  struct [[nodiscard]] delay_awaiter : event {
    delay_awaiter(kernel& owner, picoseconds delay_ps) noexcept : event(resume), owner_(owner), delay_ps_(delay_ps) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      owner_.after(delay_ps_, *this);
    }
    void await_resume() const noexcept {}

   private:
    static void resume(event& self) { static_cast<delay_awaiter&>(self).waiting_.resume(); }
    kernel& owner_;
    picoseconds delay_ps_;
    std::coroutine_handle<> waiting_;
  };
  delay_awaiter delay(picoseconds delay_ps) noexcept { return {*this, delay_ps}; }
  delay_awaiter until(picoseconds due) noexcept { return {*this, due - now_}; }

  /// Until nothing is to happen any more, or stop().
  void run();
  /// All that happens up to `last`, which is the time afterwards unless stop() came before.
  void run_until(picoseconds last);
  /// The same, but the time stays that of the last of it. True: more is to come.
  bool run_on(picoseconds last);
  /// Called by an event: run() returns after it.
  void stop() noexcept { stopped_ = true; }

  /// For the few devices (networks) which do their work of a time when everything else of that time has happened. Until
  /// then each may ask for an earlier time instead. Of several of one time the one that asked first is first.
  void close(picoseconds due, event& happening) {
    MACHINE_DEBUG_ASSERT(due >= now_);
    event** at = &closing_;
    while (*at != nullptr && *at != &happening) at = &(*at)->next;
    if (*at != nullptr) *at = happening.next;
    for (at = &closing_; *at != nullptr && (*at)->due <= due;) at = &(*at)->next;
    happening.due = due;
    happening.next = *at;
    *at = &happening;
    closing_due_ = closing_->due;
  }
  [[nodiscard]] bool idle() const noexcept { return events_.empty() && closing_ == nullptr; }
  /// Time of the next event; not for an idle kernel. What runs ahead may do so up to here.
  [[nodiscard]] picoseconds next_due() const noexcept {
    return events_.empty() ? closing_due_ : std::min(closing_due_, events_.next_due());
  }
  [[nodiscard]] std::uint64_t events() const noexcept { return happened_; }

 private:
  static constexpr picoseconds never = ~picoseconds{0};
  /// The next event, which is no later; null: there is none.
  [[nodiscard]] event* take_until(picoseconds last);

  picoseconds now_ = 0;
  std::uint64_t happened_ = 0;
  bool stopped_ = false;
  event* closing_ = nullptr;         ///< The first of a list, by time.
  picoseconds closing_due_ = never;  ///< Never while there is none.
  calendar events_;
  process_link processes_;  ///< Head of the list; no process itself.
};

}  // namespace tess::machine
