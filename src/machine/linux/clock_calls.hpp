// clock_calls: time, which is simulated, and random numbers, which are seeded, for a program.
//
//   The realtime clock starts at a fixed instant, so that two runs print the same.
#pragma once

#include <cstdint>

#include "machine/kernel/splitmix.hpp"
#include "machine/linux/threads.hpp"

namespace tess::machine {

// 14 November 2023, 22:13:20 UTC.
inline constexpr std::uint64_t realtime_start_ns = 1'700'000'000'000'000'000U;

// A time as programs give and get it.
struct user_timespec {
  std::int64_t seconds;
  std::int64_t nanoseconds;
};

[[nodiscard]] constexpr bool is_sound(user_timespec const& time) noexcept {
  return time.seconds >= 0 && time.nanoseconds >= 0 && time.nanoseconds < 1'000'000'000;
}
[[nodiscard]] constexpr std::uint64_t ns_of_spec(user_timespec const& time) noexcept {
  constexpr std::int64_t seconds_most = 4'000'000'000;
  std::int64_t const seconds = time.seconds < seconds_most ? time.seconds : seconds_most;
  return static_cast<std::uint64_t>(seconds) * 1'000'000'000U + static_cast<std::uint64_t>(time.nanoseconds);
}
[[nodiscard]] constexpr user_timespec spec_of(std::uint64_t ns) noexcept {
  return {static_cast<std::int64_t>(ns / 1'000'000'000U), static_cast<std::int64_t>(ns % 1'000'000'000U)};
}

class clock_calls {
 public:
  clock_calls(user_memory& memory, machine_host& host, threads& tasks, std::uint64_t seed)
      : memory_(memory), host_(host), threads_(tasks), state_(seed) {}

  std::int64_t clock_gettime(call_arguments const& a);
  std::int64_t clock_getres(call_arguments const& a);
  std::int64_t clock_settime(call_arguments const& a) const;
  std::int64_t gettimeofday(call_arguments const& a);
  std::int64_t times(call_arguments const& a);
  std::int64_t getrusage(call_arguments const& a);
  std::int64_t nanosleep(hart& h, call_arguments const& a);
  std::int64_t clock_nanosleep(hart& h, call_arguments const& a);
  std::int64_t getrandom(call_arguments const& a);

  void take_over(clock_calls const& from) { state_ = from.state_; }
  // The program's next random number.
  std::uint64_t random() { return next_random(state_); }

 private:
  // Also the processor's time of the program or of one of its threads, by its identifier.
  [[nodiscard]] bool is_clock(std::uint64_t clock) const;
  std::int64_t sleep(hart& h, std::uint64_t at, std::uint64_t left_at, bool absolute, bool since_1970);

  user_memory& memory_;
  machine_host& host_;
  threads& threads_;
  std::uint64_t state_;
};

}  // namespace tess::machine
