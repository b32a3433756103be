// clock: basics of measurements: a time stamp, a value that the optimiser cannot remove, a pause in spin loops.
//
// Units     seconds as double in all of bench/; a double resolves 0.1 ns over a day of steady_clock.
#pragma once

#include <chrono>
#include <utility>

namespace bench {

inline constexpr double ns_per_second = 1e9;

[[nodiscard]] inline double timestamp() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Duration of one call of f in seconds.
template <class Function>
[[nodiscard]] double seconds_of(Function&& f) {
  double const begin = timestamp();
  std::forward<Function>(f)();
  return timestamp() - begin;
}

/// The optimiser must compute `value` and cannot assume it afterwards; memory is not affected.
template <class T>
inline void do_not_optimize(T& value) noexcept {
  asm volatile("" : "+r"(value));
}

template <class T>
inline void do_not_optimize(T const& value) noexcept {
  asm volatile("" : : "r"(value));
}

/// Hints that this is a spin loop. Not for latency limits: on recent x86 it waits about 140 cycles.
inline void spin_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace bench
