// posix_timers: timers of a program that send it a signal, once or periodically (timer_create).
//
//   A timer's signal is pending at most once: periods that end until it is delivered are counted as its overruns. All
//   clocks are the simulated one, those of processor time, too.
//
// Units     nanoseconds of simulated time.
// Errors    values, or negative Linux error numbers.
// Threads   none.
// Source    timer_create(2), timer_settime(2), timer_getoverrun(2).
#pragma once

#include <cstdint>
#include <map>

#include "machine/linux/clock_calls.hpp"
#include "machine/linux/signals.hpp"

namespace tess::machine {

class posix_timers {
 public:
  posix_timers(user_memory& memory, machine_host& host, threads& tasks, signals& sent)
      : memory_(memory), host_(host), threads_(tasks), signals_(sent) {}

  void take_over(posix_timers const& from) {
    timers_ = from.timers_;
    last_id_ = from.last_id_;
  }

  std::int64_t create(call_arguments const& a);
  std::int64_t set(call_arguments const& a);
  std::int64_t get(call_arguments const& a) const;
  std::int64_t overruns(call_arguments const& a) const;
  std::int64_t remove(call_arguments const& a);

  [[nodiscard]] std::uint64_t next_deadline_ns() const;
  // Sends the signals of timers whose time has come. False: the program ends by one.
  [[nodiscard]] bool pass_time(std::uint64_t now_ns);

 private:
  struct timer {
    bool since_1970 = false;
    bool is_silent = false;  // it sends no signal
    std::uint32_t signal = 0;
    std::uint64_t thread = 0;  // 0: any
    std::uint64_t data = 0;
    std::uint64_t at_ns = threads::never;
    std::uint64_t interval_ns = 0;
  };
  // By the 32-bit identifier of a call's first argument.
  [[nodiscard]] timer const* find(std::uint64_t id) const;

  static constexpr std::size_t timers_max = 1024;

  user_memory& memory_;
  machine_host& host_;
  threads& threads_;
  signals& signals_;
  std::map<std::uint32_t, timer> timers_;
  std::uint32_t last_id_ = 0;
};

}  // namespace tess::machine
