// when: waits for all or the first of several tasks, continues a future by a function, waits until a word has a value.
//
//     auto [a, b] = co_await when_all(left(), right());            // tasks of different results run concurrently
//     std::vector<long> sums = co_await when_all(std::move(tasks));
//     std::size_t const first = co_await when_any(f, g);           // index of a future that is ready; all go on
//     future<long> doubled = then(f, [](long x) { return 2 * x; });
//     co_await wait_until(flag, [](long x) { return x >= 3; });
//
// Threads   any task. What is started runs at this place, under the caller's finish.
// Errors    when_all throws the first exception that a task ended by, after all have ended. when_any throws only if the
//           vector is empty: awaiting the future throws what its task did. then passes the future's exception on
//           without calling the function.
// Cost      a task for each; wait_until reads the word again whenever the worker has nothing else to do, and after a
//           millisecond once every 100 us. A counter, a sync_var or an event_counter wakes its waiter instead.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tess/error.hpp"
#include "tess/future.hpp"
#include "tess/timeout.hpp"
#include "tess/word.hpp"

namespace tess {

namespace detail {

template <class T>
using value_or_nothing = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
task<void> keep_result(task<T> work, std::optional<value_or_nothing<T>>& result) {
  if constexpr (std::is_void_v<T>) {
    co_await std::move(work);
    result.emplace();
  } else {
    result.emplace(co_await std::move(work));
  }
}

/// Which of several futures was ready first; the tasks that watch them keep it.
struct first_ready {
  sync_var<std::size_t> index;
};
template <class T>
task<void> watch(future<T> f, std::size_t index, std::shared_ptr<first_ready> first) {
  try {
    co_await f;
  } catch (...) {
    // Who awaits the future gets it.
  }
  static_cast<void>(first->index.try_write_ef(index));
}

}  // namespace detail

/// Runs the tasks concurrently and gives their results; std::monostate for a task without one.
template <class... T>
task<std::tuple<detail::value_or_nothing<T>...>> when_all(task<T>... works) {
  std::tuple<std::optional<detail::value_or_nothing<T>>...> results;
  co_await finish([&] {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (spawn(detail::keep_result(std::move(works), std::get<I>(results))), ...);
    }(std::index_sequence_for<T...>());
  });
  co_return std::apply([](auto&... r) { return std::tuple<detail::value_or_nothing<T>...>(std::move(*r)...); },
                       results);
}
/// The same where some are tasks only if they have to wait, as barrier().
template <class... Call>
  requires(detail::is_task<Call> && ...) && (!(std::is_same_v<Call, task<typename Call::value_type>> && ...))
auto when_all(Call&&... works) {
  return when_all(static_cast<task<typename Call::value_type>>(std::move(works))...);
}
/// The same for any number of tasks with results of one type, in their order.
template <class T>
  requires(!std::is_void_v<T>)
task<std::vector<T>> when_all(std::vector<task<T>> works) {
  std::vector<std::optional<T>> results(works.size());
  co_await finish([&] {
    for (std::size_t i = 0; i < works.size(); ++i) spawn(detail::keep_result(std::move(works[i]), results[i]));
  });
  std::vector<T> values;
  values.reserve(results.size());
  for (auto& r : results) values.push_back(std::move(*r));
  co_return values;
}
inline task<void> when_all(std::vector<task<void>> works) {
  co_await finish([&] {
    for (auto& work : works) spawn(std::move(work));
  });
}

/// The index of a future whose task has ended; of the first one if it waited for it.
template <class... T>
  requires(sizeof...(T) != 0)
task<std::size_t> when_any(future<T>... futures) {
  auto const first = std::make_shared<detail::first_ready>();
  std::size_t index = 0;
  (spawn(detail::watch(std::move(futures), index++, first)), ...);
  co_return co_await first->index.read_ff();
}
template <class T>
task<std::size_t> when_any(std::vector<future<T>> futures) {
  if (futures.empty()) throw error("when_any", "an empty vector", "at least one future");
  auto const first = std::make_shared<detail::first_ready>();
  for (std::size_t i = 0; i < futures.size(); ++i) spawn(detail::watch(futures[i], i, first));
  co_return co_await first->index.read_ff();
}

namespace detail {
template <class F, class T>
struct continuation {
  using called = std::invoke_result_t<F&, T const&>;
};
template <class F>
struct continuation<F, void> {
  using called = std::invoke_result_t<F&>;
};
template <class R, class T, class F>
task<R> continued(future<T> f, F next) {
  if constexpr (std::is_void_v<T>) {
    co_await f;
    if constexpr (is_task<typename continuation<F, T>::called>)
      co_return co_await next();
    else
      co_return next();
  } else {
    if constexpr (is_task<typename continuation<F, T>::called>)
      co_return co_await next(co_await f);
    else
      co_return next(co_await f);
  }
}
}  // namespace detail

/// A future of next(value), or of the result of the task that it returns.
template <class T, class F>
[[nodiscard]] auto then(future<T> f, F next) {
  using called = typename detail::continuation<F, T>::called;
  using result = typename detail::task_traits<std::remove_cvref_t<called>>::result;
  return async(detail::continued<result>(std::move(f), std::move(next)));
}

/// Waits until predicate(value) is true for the word at p, which any place may write; gives the value.
template <class T, class Predicate>
  requires std::predicate<Predicate&, T>
task<T> wait_until(global_ptr<T> p, Predicate predicate) {
  auto const begin = std::chrono::steady_clock::now();
  for (;;) {
    T const value = co_await get(p);
    if (predicate(value)) co_return value;
    if (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1))
      co_await yield();
    else
      co_await sleep_for(std::chrono::microseconds(100));
  }
}

/// A pointer to *p where this process reaches the memory of its place: at that place, and on one host through a window.
/// Null elsewhere. Words that several tasks use need atomics (std::atomic_ref) or the operations of word.hpp.
template <class T>
[[nodiscard]] T* window(global_ptr<T> p) noexcept {
  if (p.place() == here()) return p.local();
#if defined(__riscv)
  return nullptr;  // caches of tiles are not coherent
#else
  if ((detail::job.load_window[p.place()] & detail::no_window) != 0) return nullptr;
  return reinterpret_cast<T*>(detail::job.load_window[p.place()] + p.offset());
#endif
}

}  // namespace tess
