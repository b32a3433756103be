// clock_calls: random numbers from splitmix64; seconds and nanoseconds from the machine's clock.
#include "machine/linux/clock_calls.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace tess::machine {
namespace {

constexpr std::uint64_t ns_per_s = 1'000'000'000;
constexpr std::uint64_t seconds_max = 9'000'000'000;  // in nanoseconds, twice this value still fits

bool is_realtime(std::uint64_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

}  // namespace

// A negative number has the complement of a thread's identifier, or of 0, above three bits: the lower two say of what.
bool clock_calls::is_clock(std::uint64_t clock) const {
  auto const number = static_cast<std::int32_t>(clock);
  if (number >= 0) return number <= CLOCK_TAI;
  constexpr std::uint32_t of_a_file = 3;
  auto const id = static_cast<std::uint64_t>(~(number >> 3));
  return (static_cast<std::uint32_t>(number) & 3U) != of_a_file && (id == 0 || threads_.is_thread(id));
}

std::int64_t clock_calls::clock_gettime(call_arguments const& a) {
  if (!is_clock(a[0])) return -EINVAL;
  return memory_.put(a[1], spec_of(host_.now_ns() + (is_realtime(a[0]) ? realtime_start_ns : 0))) ? 0 : -EFAULT;
}

std::int64_t clock_calls::clock_settime(call_arguments const& a) const {
  return is_clock(a[0]) ? -EPERM : -EINVAL;
}

std::int64_t clock_calls::clock_getres(call_arguments const& a) {
  if (!is_clock(a[0])) return -EINVAL;
  return a[1] == 0 || memory_.put(a[1], spec_of(1)) ? 0 : -EFAULT;
}

std::int64_t clock_calls::gettimeofday(call_arguments const& a) {
  user_timespec now = spec_of(host_.now_ns() + realtime_start_ns);
  now.nanoseconds /= 1000;  // a struct timeval
  return a[0] == 0 || memory_.put(a[0], now) ? 0 : -EFAULT;
}

std::int64_t clock_calls::times(call_arguments const& a) {
  constexpr std::uint64_t ns_per_tick = ns_per_s / 100;
  std::array<std::uint64_t, 4> const spent{host_.now_ns() / ns_per_tick, 0, 0, 0};
  if (a[0] != 0 && !memory_.put(a[0], spent)) return -EFAULT;
  return static_cast<std::int64_t>(spent[0]);
}

std::int64_t clock_calls::getrusage(call_arguments const& a) {
  std::array<std::uint64_t, 18> usage{};  // struct rusage: user time first, all else zero
  usage[0] = host_.now_ns() / ns_per_s;
  usage[1] = host_.now_ns() % ns_per_s / 1000;
  return memory_.put(a[1], usage) ? 0 : -EFAULT;
}

std::int64_t clock_calls::sleep(hart& h, std::uint64_t at, std::uint64_t left_at, bool absolute, bool since_1970) {
  user_timespec time{};
  if (!memory_.get(at, time)) return -EFAULT;
  if (time.seconds < 0 || time.nanoseconds < 0 || time.nanoseconds >= static_cast<std::int64_t>(ns_per_s))
    return -EINVAL;
  std::uint64_t wake = std::min(static_cast<std::uint64_t>(time.seconds), seconds_max) * ns_per_s +
                       static_cast<std::uint64_t>(time.nanoseconds);
  if (since_1970) wake = wake > realtime_start_ns ? wake - realtime_start_ns : 0;
  return absolute ? threads_.sleep_until(h, wake) : threads_.sleep_until(h, wake + host_.now_ns(), left_at);
}

std::int64_t clock_calls::nanosleep(hart& h, call_arguments const& a) {
  return sleep(h, a[0], a[1], false, false);
}

std::int64_t clock_calls::clock_nanosleep(hart& h, call_arguments const& a) {
  bool const absolute = (a[1] & TIMER_ABSTIME) != 0;
  if (!is_clock(a[0])) return -EINVAL;
  return sleep(h, a[2], a[3], absolute, absolute && is_realtime(a[0]));
}

std::int64_t clock_calls::getrandom(call_arguments const& a) {
  constexpr std::uint64_t bytes_max = 1U << 20U;
  std::uint64_t const bytes = std::min(a[1], bytes_max);
  std::vector<std::byte> chance((bytes + 7) / 8 * 8);
  for (std::size_t k = 0; k < chance.size(); k += 8) {
    std::uint64_t const next = random();
    std::memcpy(chance.data() + k, &next, sizeof next);
  }
  return memory_.write(a[0], std::span{chance}.first(bytes)) ? static_cast<std::int64_t>(bytes) : -EFAULT;
}

}  // namespace tess::machine
