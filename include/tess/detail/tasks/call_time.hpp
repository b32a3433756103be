// call_time: the time that calls take, for the statistics: the call as its caller sees it, and the function alone.
//
//   The call of an `at` lasts from its start until the caller has the result; the caller counts it. The function lasts
//   from its start until it has returned; its place counts it. The difference, summed over all places, is
//   communication: copying the graph, both messages, and waiting for a worker there. An `at_async` with objects ends
//   when its function does. No task waits for it, so its message carries the time of the call, by the shared clock.
//   Not counted: calls that stay at their place, calls that the runtime makes itself, and `at_async` without objects,
//   which is gathered with others.
//
// Units     ns.
// Threads   the worker's.
// Cost      without statistics, a test of a flag at each end.
// Source    T_at = T_com + T_func: NEMESYS (MEMSYS 2019), section 5.
#pragma once

#include <cstdint>
#include <utility>

#include "tess/detail/tasks/worker.hpp"

namespace tess::detail {

/// True for a (const) function that the runtime calls at other places on behalf of a call of the program.
template <class F>
inline constexpr bool is_of_runtime = false;

[[nodiscard]] std::uint64_t call_clock() noexcept;
/// True if all places share one clock.
[[nodiscard]] bool places_share_clock() noexcept;
/// Counts a call that began at `called` and has ended now.
void count_call(std::uint64_t called) noexcept;
void count_function(std::uint64_t called, std::uint64_t began) noexcept;

/// The time at which a call of F began, if it is counted; otherwise 0.
template <class F>
[[nodiscard]] std::uint64_t time_of_call(place_id target) noexcept {
  if constexpr (is_of_runtime<F const>) return 0;
  return self->times_calls && target != self->place ? call_clock() : 0;
}
template <class F>
[[nodiscard]] std::uint64_t time_of_async_call(place_id target) noexcept {
  return self->times_calls && places_share_clock() ? time_of_call<F>(target) : 0;
}

/// Measures a function that another place called, until end() or the end of its scope.
class function_timer {
 public:
  /// `called`: the start of a call that ends with the function; 0: the caller counts the call.
  explicit function_timer(bool counted, std::uint64_t called = 0) noexcept
      : called_(called), began_(counted && self->times_calls ? call_clock() : 0) {}
  ~function_timer() { end(); }
  function_timer(function_timer const&) = delete;
  function_timer& operator=(function_timer const&) = delete;

  void end() noexcept {
    if (began_ != 0) [[unlikely]]
      count_function(called_, std::exchange(began_, 0));
  }

 private:
  std::uint64_t called_;
  std::uint64_t began_;
};

}  // namespace tess::detail
