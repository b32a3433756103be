// forall: parallel loops: over a range at this place, over the places, over a global array (owner computes).
//
//   The range is cut into chunks, each a task under one finish. A body that returns task<> is awaited, so that several
//   chunks hide each other's latency.
//
// Cost     one task per chunk. The default grain makes 64 chunks per worker, at most 4,096 iterations each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tess/at.hpp"
#include "tess/detail/min_max.hpp"
#include "tess/finish.hpp"
#include "tess/place.hpp"

namespace tess {

namespace detail {
inline std::uint64_t default_grain(std::uint64_t count) noexcept {
  return min_of(max_of(count / (64 * std::uint64_t{job.workers}), 1), 4096);
}

template <class F>
task<void> forall_chunk(std::uint64_t begin, std::uint64_t end, F const* f) {
  for (std::uint64_t i = begin; i < end; ++i) {
    if constexpr (is_task<std::invoke_result_t<F const&, std::uint64_t>>)
      co_await (*f)(i);
    else
      (*f)(i);
  }
  co_return;
}
}  // namespace detail

/// f(i) for every i in [begin, end), at this place, in any order. f returns void or task<>. grain 0: the default.
template <class F>
  requires std::invocable<F const&, std::uint64_t>
task<void> forall(std::uint64_t begin, std::uint64_t end, F f, std::uint64_t grain = 0) {
  if (begin >= end) co_return;
  if (grain == 0) grain = detail::default_grain(end - begin);
  co_await finish([&] {
    for (std::uint64_t b = begin; b < end; b += detail::min_of(grain, end - b))
      spawn(detail::forall_chunk<F>(b, b + detail::min_of(grain, end - b), &f));
  });
}

/// f(b, e) for chunks [b, e) of at most `grain` (1 or more) that cover [begin, end), at this place.
template <class F>
  requires std::invocable<F const&, std::uint64_t, std::uint64_t>
task<void> forall_chunks(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, F f) {
  if (begin >= end) co_return;
  if (grain == 0) grain = detail::default_grain(end - begin);
  co_await finish([&] {
    for (std::uint64_t b = begin; b < end; b += detail::min_of(grain, end - b)) {
      std::uint64_t const e = b + detail::min_of(grain, end - b);
      if constexpr (detail::is_task<std::invoke_result_t<F const&, std::uint64_t, std::uint64_t>>)
        spawn(f(b, e));
      else
        spawn([](F const* g, std::uint64_t from, std::uint64_t to) { (*g)(from, to); }, &f, b, e);
    }
  });
}

/// Calls f(args...) once at every place and waits for all tasks that the calls start; f and args as for at_async.
template <class F, class... Args>
task<void> on_all_places(F f, Args... args) {
  co_await finish([&] {
    for (unsigned p = 0; p < places(); ++p) at_async(static_cast<place_id>(p), f, args...);
  });
}

}  // namespace tess
