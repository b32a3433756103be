// overlap: a loop over independent word operations that keeps N of them in flight.
//
//   co_await tess::overlap<32>(first, last, [=](std::uint64_t k) { return tess::fetch_add(table[word(k)], 1); });
//
//   Operation k + N is issued when operation k is complete. Their cache lines are fetched meanwhile, without a task
//   switch for each (software prefetching). Where an operation depends on the previous one, use many tasks instead.
//
// Shapes   issue(k) -> a word operation; take(k, result), or take(k) for puts. Both are copied, and called in the order
//          of k.
// Threads  any task. The other tasks of the worker get a turn every N operations.
// Errors   as for each operation; the first failure ends the loop; operations in flight complete without a result.
// Cost     for each operation its own cost and a prefetch. Memory: N operations in the frame.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "tess/detail/min_max.hpp"
#include "tess/task.hpp"
#include "tess/word.hpp"

namespace tess {

namespace detail {

/// take(k, result), or take(k) for puts.
template <class Call, class Take, class Result>
[[gnu::always_inline]] inline void hand_over(Take const& take, std::uint64_t k, Result result) {
  if constexpr (std::is_void_v<decltype(std::declval<Call&>().await_resume())>) {
    static_cast<void>(result());
    take(k);
  } else {
    take(k, result());
  }
}

/// The word operations [first, last) of a loop, in a ring of slots.
template <class Call, unsigned N>
class calls_on_their_way {
 public:
  explicit calls_on_their_way(std::uint64_t first) noexcept : begin_(first), first_(first), last_(first) {}
  calls_on_their_way(calls_on_their_way const&) = delete;
  calls_on_their_way& operator=(calls_on_their_way const&) = delete;
  ~calls_on_their_way() {
    for (; first_ != last_; ++first_) std::destroy_at(at(first_));
  }

  [[nodiscard]] bool empty() const noexcept { return first_ == last_; }
  /// The oldest operation, and its number.
  [[nodiscard]] Call& oldest() noexcept { return *at(first_); }
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  void pop() noexcept { std::destroy_at(at(first_++)); }

  template <class Issue>
  void fill(std::uint64_t end, Issue const& issue) {
    for (; last_ != end && last_ - first_ != N; ++last_) ::new (at(last_)) Call(issue(last_));
  }

  /// One round: completes the oldest operations, which must not wait for replies, and issues as many. `issue`, `take`
  /// are passed by value so that their state stays in registers.
  template <class Issue, class Take>
  void advance(std::uint64_t end, Issue issue, Take take) {
    progress now{*this, first_, last_};
    std::uint64_t const stop = now.last;
    // A processor's atomic delays the loads after it: several are done in a row, their addresses loaded before.
    // All slots are in use, and these are adjacent: the operations that follow reuse them.
    while (now.last - now.first == N && end - now.last >= together && stop - now.first >= together &&
           (now.first - begin_) % together == 0) {
      Call* const calls = at(now.first);
      typename Call::due due[together];
      bool waits = false;
      TESS_UNROLL
      for (unsigned i = 0; i < together; ++i) {
        waits |= !calls[i].by_window();
        due[i] = calls[i].take_due();
      }
      // Some have a window and some do not: one by one.
      if (waits) break;
      std::uint64_t const first = now.first;
      std::uint64_t const last = now.last;
      now.first += together;
      TESS_UNROLL
      for (unsigned i = 0; i < together; ++i) hand_over<Call>(take, first + i, [&] { return due[i].complete(); });
      TESS_UNROLL
      for (unsigned i = 0; i < together; ++i) {
        ::new (&calls[i]) Call(issue(last + i));
        now.last = last + i + 1;
      }
    }
    while (now.first != stop && at(now.first)->by_window()) {
      Call* const c = at(now.first);
      hand_over<Call>(take, now.first++, [&] { return c->take_due().complete(); });
      if (now.last != end) ::new (at(now.last)) Call(issue(now.last)), ++now.last;
    }
  }

 private:
  /// Few enough to keep their addresses and operands in registers.
  static constexpr unsigned together = N < 4 ? N : 4;

  /// The bounds, kept in registers.
  struct progress {
    calls_on_their_way& calls;
    std::uint64_t first, last;
    ~progress() {
      calls.first_ = first;
      calls.last_ = last;
    }
  };

  [[nodiscard]] Call* at(std::uint64_t k) noexcept { return reinterpret_cast<Call*>(room_) + (k - begin_) % N; }

  alignas(Call) std::byte room_[N * sizeof(Call)];
  std::uint64_t begin_;  ///< number of the operation that used slot 0
  std::uint64_t first_;
  std::uint64_t last_;
};

}  // namespace detail

/// Issues issue(k) for k in [first, last), N ahead, and passes the results to take.
template <unsigned N, class Issue, class Take>
task<void> overlap(std::uint64_t first, std::uint64_t last, Issue issue, Take take) {
  static_assert(N > 0 && (N & (N - 1)) == 0, "a power of two");
  using call = std::invoke_result_t<Issue const&, std::uint64_t>;
  detail::calls_on_their_way<call, N> calls(first);
  last = detail::max_of(first, last);
  for (;;) {
    // So that they are prefetched, not performed at the call.
    detail::self->not_alone();
    calls.fill(last, issue);
    calls.advance(last, issue, take);
    if (calls.empty()) co_return;
    if (calls.oldest().by_window()) {
      co_await yield();
      continue;
    }
    if constexpr (std::is_void_v<decltype(calls.oldest().await_resume())>) {
      co_await calls.oldest();
      take(calls.first());
    } else {
      take(calls.first(), co_await calls.oldest());
    }
    calls.pop();
  }
}
/// Issues issue(i) for all i in [first, last) and keeps N operations in flight.
template <unsigned N, class Issue>
task<void> overlap(std::uint64_t first, std::uint64_t last, Issue issue) {
  return overlap<N>(first, last, issue, [](std::uint64_t, auto&&...) {});
}

}  // namespace tess
