// call_time: what calls cost, for the statistics: the call as its caller sees it, and the function alone.
//
//   The call of an `at` lasts from its start until the caller has the result: the caller counts it. The function lasts
//   from its start until it has returned: its place counts that. What is left, in the sum over all places, is
//   communication: copying the graph, both messages, and waiting for a worker there. An `at_async` with objects ends
//   when its function has; nobody waits for it, so its message says when it was called, by the clock that places share.
//   Not counted: calls that stay at their place, calls that the runtime makes itself, and `at_async` without objects,
//   which is gathered with others.
//
// Units     ns.
// Threads   the worker's.
// Cost      without statistics a test of a flag at each end.
// Source    T_at = T_com + T_func: NEMESYS (MEMSYS 2019), section 5.
#pragma once

#include <cstdint>
#include <utility>

#include "tess/detail/worker.hpp"

namespace tess::detail {

/// True for a function (const) that the runtime calls at other places on behalf of a call of the program.
template <class F>
inline constexpr bool is_of_runtime = false;

[[nodiscard]] std::uint64_t call_clock() noexcept;
/// The same clock at all places?
[[nodiscard]] bool places_share_clock() noexcept;
/// A call ended that began then.
void count_call(std::uint64_t called) noexcept;
void count_function(std::uint64_t called, std::uint64_t began) noexcept;

/// When a call of F began, if it is counted; otherwise 0.
template <class F>
[[nodiscard]] std::uint64_t time_of_call(place_id target) noexcept {
  if constexpr (is_of_runtime<F const>) return 0;
  return self->times_calls && target != self->place ? call_clock() : 0;
}
template <class F>
[[nodiscard]] std::uint64_t time_of_async_call(place_id target) noexcept {
  return self->times_calls && places_share_clock() ? time_of_call<F>(target) : 0;
}

/// The time of a function that another place called, until end() or the end of its scope.
class function_timer {
 public:
  /// `called`: the call ends with the function, and began then; 0: its caller counts the call.
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
