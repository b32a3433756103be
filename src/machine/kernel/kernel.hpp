// kernel: the deterministic event kernel: simulated time, pending events, and the processes that wait for them.
//
//   Everything that happens is an event of the calendar. A process waits by scheduling an event in its own frame; a
//   device without a process has an event as a member. Events of equal time happen by rank: those of devices in the
//   order in which they were scheduled, then harts by number. So a simulation is a function of its inputs.
//
//   An event happens at a site, a tile: that of the event that scheduled it. Events affect their site only; a network
//   carries what goes from one site to another, and says for how many packets a site is the target. So the first time
//   at which something can happen at a site is known (next_due_at), and its harts may run ahead up to there.
//
// Units     picoseconds.
// Errors    an exception of a process leaves run(); the kernel can continue afterwards, without that process.
// Threads   one. Kernels of several threads are independent.
// Cost      about 7 ns for an event of a process (`tess bench machine_kernel`); only frames are allocated, from a pool.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <utility>
#include <vector>

#include "machine/kernel/calendar.hpp"
#include "machine/kernel/process.hpp"
#include "machine/kernel/time.hpp"

namespace tess::machine {

class kernel {
 public:
  /// `shortest_period_ps`: period of the fastest clock. A wrong value costs speed, not correctness.
  explicit kernel(picoseconds shortest_period_ps) : events_(shortest_period_ps) {}
  kernel(kernel const&) = delete;
  kernel& operator=(kernel const&) = delete;
  /// Destroys the frames of all waiting processes. Devices that they use must still exist.
  ~kernel();

  [[nodiscard]] picoseconds now() const noexcept { return now_; }

  /// `happening` is called at `due`, which must not be in the past.
  void at(picoseconds due, event& happening) {
    MACHINE_DEBUG_ASSERT(due >= now_);
    happening.due = due;
    if (happening.rank == 0) {
      happening.site = site_;
      if (due == now_ && at_once_ == nullptr && events_.has_none_at(due)) {
        at_once_ = &happening;
        return;
      }
      of_site(site_).due.push_back(due);
    }
    events_.put(happening);
  }
  void after(picoseconds delay_ps, event& happening) { at(now_ + delay_ps, happening); }
  /// What `waiting` waited for has come. A device's event happens at once; it may count several (acknowledgements). A
  /// hart continues by the calendar, in its turn: called from here it would run ahead of events that are still to be
  /// scheduled for this time.
  void notify(event& waiting) {
    if (waiting.rank == 0) return waiting.happens(waiting);
    after(0, waiting);
  }

  /// Takes ownership of the process and starts it at the current time, after events that are already pending for it.
  void start(process&& begun);

  /// Awaited by a process: continues after this time. A delay of zero lets all other events of this time happen first.
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

  /// Runs until no event is pending, or until stop().
  void run();
  /// Runs all events up to `last`, which is the current time afterwards unless stop() was called.
  void run_until(picoseconds last);
  /// The same, but the current time is that of the last event. True: more events are pending.
  bool run_on(picoseconds last);
  /// Called by an event: run() returns after it.
  void stop() noexcept { stopped_ = true; }

  /// For the few devices (networks) that do their work for a time when all other events of that time have happened.
  /// Until then each may ask for an earlier time instead. Requests of equal time are served in order.
  void close(picoseconds due, event& happening) {
    MACHINE_DEBUG_ASSERT(due >= now_);
    event** at = &closing_;
    while (*at != nullptr && *at != &happening) at = &(*at)->next;
    if (*at != nullptr) *at = happening.next;
    for (at = &closing_; *at != nullptr && (*at)->due <= due;) at = &(*at)->next;
    happening.due = due;
    happening.rank = event::after_harts;
    happening.next = *at;
    *at = &happening;
    closing_due_ = closing_->due;
  }
  /// It does not happen: it was pending, by at() or after(), and has a rank of its own.
  void take_back(event& pending) noexcept { events_.take_back(pending); }
  /// The highest rank of the events that have happened at this time, with the one that happens: whose turn is over.
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  // Sites: tile + 1. What happens at site 0 may affect all.
  static constexpr std::uint32_t everywhere = 0;
  [[nodiscard]] std::uint32_t site() const noexcept { return site_; }
  /// What is scheduled from now on happens there; returns the site before.
  std::uint32_t go_to(std::uint32_t site) noexcept { return std::exchange(site_, site); }
  /// A packet is on its way to this site, or has arrived.
  void packet_begins(std::uint32_t site) { ++of_site(site).packets; }
  void packet_ends(std::uint32_t site) noexcept { --sites_[site].packets; }
  /// The first time at which a device of this site may act, harts aside; the kernel must not be idle. What happens
  /// elsewhere takes `reach_ps` to this site.
  [[nodiscard]] picoseconds next_due_at(std::uint32_t site, picoseconds reach_ps) const noexcept;

  /// The first time at which something may happen that affects all sites, without the work of closing devices.
  [[nodiscard]] picoseconds next_due_everywhere() const noexcept {
    if (at_once_ != nullptr && at_once_->site == everywhere) return now_;
    return sites_.empty() || sites_.front().due.empty() ? never : std::ranges::min(sites_.front().due);
  }

  /// Has the work of such a device for the current time begun? Then all harts have had their turn at this time.
  [[nodiscard]] bool is_closed() const noexcept { return last_closed_ == now_; }
  [[nodiscard]] bool idle() const noexcept { return events_.empty() && closing_ == nullptr && at_once_ == nullptr; }
  /// Time of the next event; the kernel must not be idle. Harts may run ahead up to here.
  [[nodiscard]] picoseconds next_due() const noexcept {
    if (at_once_ != nullptr) return now_;
    return events_.empty() ? closing_due_ : std::min(closing_due_, events_.next_due());
  }
  [[nodiscard]] std::uint64_t events() const noexcept { return happened_; }

 private:
  static constexpr picoseconds never = ~picoseconds{0};
  /// What is pending at a site.
  struct pending {
    std::vector<picoseconds> due;  ///< The times of its devices' events, in no order: they are few.
    std::uint64_t packets = 0;
  };
  pending& of_site(std::uint32_t site) {
    if (site >= sites_.size()) [[unlikely]]
      sites_.resize(site + 1);
    return sites_[site];
  }
  /// The next event if it is not later; null otherwise.
  [[nodiscard]] event* take_until(picoseconds last);
  void happen(event& next);
  /// The one that waits in at_once_, without the calendar.
  void happen_at_once();

  picoseconds now_ = 0;
  std::uint64_t happened_ = 0;
  bool stopped_ = false;
  event* closing_ = nullptr;         ///< The first of a list, by time.
  picoseconds closing_due_ = never;  ///< `never` while the list is empty.
  picoseconds last_closed_ = never;
  calendar events_;
  event* at_once_ = nullptr;  ///< A device's event for now, before all that wait in the calendar.
  std::uint32_t site_ = everywhere;
  std::uint32_t rank_ = 0;  ///< The highest of the events that have happened at this time.
  std::vector<pending> sites_;
  process_link processes_;  ///< Head of the list, not a process itself.
};

}  // namespace tess::machine
