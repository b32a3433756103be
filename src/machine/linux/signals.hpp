// signals: handlers of a program, what is pending and blocked, alternative stacks, the interval timer.
//
//   A handler runs on a frame as Linux makes it for RV64 (siginfo, then ucontext), and returns to two instructions,
//   li a7, 139 and ecall, in the last page of the memory. A signal for a thread that waits in a call ends the call:
//   with EINTR, or to be begun again (SA_RESTART). One for a thread that runs reaches it when its hart is interrupted
//   (machine_host::interrupt). No other process sends any.
//
// Units     nanoseconds of simulated time.
// Errors    values, or negative Linux error numbers.
// Threads   none.
// Source    the ABI of Linux for RV64: sizes and order of siginfo, ucontext and sigcontext; signal(7).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "machine/linux/signal_queue.hpp"
#include "machine/linux/threads.hpp"

namespace tess::machine {

class signals {
 public:
  using information = signal_information;
  // What the program sends itself, by kill, or by tkill and tgkill.
  static information from_program(bool to_thread) noexcept;

  // `memory_bytes`: where the memory ends. What is referred to lives longer.
  signals(user_memory& memory, machine_host& host, threads& tasks, std::uint64_t memory_bytes)
      : memory_(memory), host_(host), threads_(tasks), return_address_(memory_bytes - user_page_bytes) {}

  // The same handlers, masks, signals and timers as there.
  void take_over(signals const& from) {
    can_return_ = from.can_return_;
    handlers_ = from.handlers_;
    of_ = from.of_;
    pending_ = from.pending_;
    fatal_ = from.fatal_;
    overruns_ = from.overruns_;
    timer_ns_ = from.timer_ns_;
    timer_interval_ns_ = from.timer_interval_ns_;
  }

  std::int64_t action(call_arguments const& a);
  std::int64_t mask(hart const& h, call_arguments const& a);
  std::int64_t stack(hart const& h, call_arguments const& a);
  std::int64_t pending(hart const& h, call_arguments const& a);
  std::int64_t suspend(hart& h, call_arguments const& a);
  // rt_sigtimedwait
  std::int64_t wait_for(hart& h, call_arguments const& a);
  // A call waits with other signals blocked. True: one has come, and ends it (EINTR).
  [[nodiscard]] bool begin_wait(hart const& h, std::uint64_t set);
  // It is over, by none.
  void end_wait(hart const& h);
  // Is one to be delivered to the thread?
  [[nodiscard]] bool any_for(hart const& h);
  std::int64_t set_timer(call_arguments const& a);
  std::int64_t get_timer(call_arguments const& a) const;
  // rt_sigreturn: the registers of the frame at the stack pointer. False: there is no frame.
  [[nodiscard]] bool come_back(hart& h);

  // To one thread, or, with id 0, to any that does not block it. False: the program ends by it.
  [[nodiscard]] bool send(hart const* by, std::uint64_t id, std::uint32_t number, information const& why);
  // The information of a signal that a program sends with a value, at this address. False: there is no memory.
  [[nodiscard]] bool read_information(std::uint64_t address, information& why) const;
  // The overruns of a timer when its last signal was delivered.
  [[nodiscard]] std::int64_t overruns_of_timer(std::uint32_t id) const;
  void forget_timer(std::uint32_t id);
  // So many are pending that no more can be kept.
  [[nodiscard]] bool is_full() const;
  // The hart is about to go on behind a call, or was interrupted: handlers of what came. False: the program ends.
  [[nodiscard]] bool deliver(hart& h);
  // What the hart's own instruction caused. False: there is no handler, or it is blocked.
  [[nodiscard]] bool fault(hart& h, std::uint32_t number, std::int32_t code, std::uint64_t address);

  void begin_thread(std::uint64_t id, std::uint64_t parent) { of_[id].blocked = of_[parent].blocked; }
  void end_thread(std::uint64_t id) { of_.erase(id); }
  // The signal that ended the program.
  [[nodiscard]] std::uint32_t fatal() const noexcept { return fatal_; }

  [[nodiscard]] std::uint64_t next_deadline_ns() const noexcept { return timer_ns_; }
  // False: the program ends.
  [[nodiscard]] bool pass_time(std::uint64_t now_ns);

 private:
  static constexpr std::uint32_t count = 64;
  struct handler {
    std::uint64_t address = 0;  // 0: default, 1: ignored
    std::uint64_t flags = 0;
    std::uint64_t mask = 0;
  };
  struct of_thread {
    std::uint64_t blocked = 0;
    signal_queue pending;
    std::optional<std::uint64_t> blocked_before;  // of sigsuspend: set again by the frame
    std::uint64_t stack_address = 0;
    std::uint64_t stack_bytes = 0;  // 0: none
  };

  static constexpr std::uint64_t bit(std::uint32_t number) { return signal_queue::bit(number); }
  [[nodiscard]] bool is_ignored(std::uint32_t number) const;
  // The first of these that is pending for the thread is taken; 0: none is.
  std::uint32_t take(of_thread& mine, std::uint64_t set, information& why);
  [[nodiscard]] std::int64_t tell(std::uint64_t address, std::uint32_t number, information const& why);
  [[nodiscard]] bool enter(hart& h, std::uint32_t number, information const& why);
  void provide_return();

  user_memory& memory_;
  machine_host& host_;
  threads& threads_;
  std::uint64_t return_address_;
  bool can_return_ = false;
  std::array<handler, count + 1> handlers_{};
  std::map<std::uint64_t, of_thread> of_;
  signal_queue pending_;                             // of the process
  std::map<std::uint32_t, std::uint32_t> overruns_;  // by the timer's identifier
  std::uint32_t fatal_ = 0;
  std::uint64_t timer_ns_ = threads::never;
  std::uint64_t timer_interval_ns_ = 0;
};

}  // namespace tess::machine
