// collective: barrier, reductions, broadcast and prefix sums over all places; team.hpp has them over some places.
//
//   One task of every place calls the same collectives in the same order (SPMD, usually inside on_all_places).
//   Values are combined in place order with a fixed shape, so floating-point results do not depend on timing.
//
// Threads  one task per place at a time.
// Cost     Up to eight places that map each other's segments and have a processor each: one cache line that moves, from
//          each place to each other, for a barrier and for values of up to 32 bytes; a barrier in which nobody is late
//          has no frame. Otherwise barrier: ceil(log2 P) notifications per place (dissemination). Others: for P <= 8
//          one put to each other place; beyond that 2 log2 P steps up and down a binomial tree. reduce and broadcast
//          use all_reduce.
//          T up to 64 bytes. Larger values: exchange.hpp.
// Source   D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier synchronization" (1988).
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <source_location>
#include <type_traits>

#include "tess/detail/range_concepts.hpp"
#include "tess/place.hpp"
#include "tess/task.hpp"
#include "tess/unchecked.hpp"

namespace tess {

namespace detail {
inline constexpr std::size_t collective_bytes = 64;

/// Combines `right` into `left`.
using combine_function = void (*)(void* left, void const* right, void const* op);

struct sweep_result {
  alignas(16) std::byte total[collective_bytes];
  alignas(16) std::byte before[collective_bytes];  ///< the combination of all lower ranks; unused at rank 0
};

/// The name of a team at one of its places: the global address of its record there, or one of these constants.
using team_name = std::uint64_t;
inline constexpr team_name no_team = 0;
inline constexpr team_name world_team = 1;  ///< no record has this address

/// Each member contributes `bytes` bytes; the result is the total and the combination of the lower ranks.
task<void> sweep(team_name team, void const* mine, std::size_t bytes, combine_function combine, void const* op,
                 sweep_result& result);
/// Notified: nobody looks at what another member has in its record, which may go when the barrier has ended there.
enum class barrier_way : bool { fastest, notified };
task<void> team_barrier(team_name team, barrier_way way = barrier_way::fastest);
/// True: the barrier has ended, since all members share memory and came soon. False: team_barrier() is to end it.
[[nodiscard]] bool barrier_at_once(team_name team);
/// These throw tess::error if the caller's place is not a member.
[[nodiscard]] unsigned team_rank(team_name team);
[[nodiscard]] unsigned team_size(team_name team);
void check_root(team_name team, unsigned root);

/// The default operation, like std::plus<>.
struct addition {
  template <class T>
  constexpr auto operator()(T const& a, T const& b) const {
    return a + b;
  }
};

template <class T, class Op>
void combine_values(void* left, void const* right, void const* op) {
  alignas(T) std::byte l[sizeof(T)], r[sizeof(T)];
  std::memcpy(l, left, sizeof(T));
  std::memcpy(r, right, sizeof(T));
  T const value = (*static_cast<Op const*>(op))(*reinterpret_cast<T const*>(l), *reinterpret_cast<T const*>(r));
  std::memcpy(left, &value, sizeof(T));
}
template <class T>
concept reducible = std::is_trivially_copyable_v<T> && sizeof(T) <= collective_bytes && alignof(T) <= 16 &&
                    !std::ranges::borrowed_range<T>;

/// A value or an element that a collective takes to other places.
template <class T>
consteval void check_collective() {
  static_assert(
      address_free<T>,
      "a collective's value must not hold an address (a pointer, std::span, std::string_view, a reference): "
      "combine values or a global_ptr; if it holds a union, bit-field or std::complex but no address, specialise "
      "tess::plain_data for it");
}

template <class T>
T read_value(std::byte const* bytes) {
  alignas(T) std::byte copy[sizeof(T)];
  std::memcpy(copy, bytes, sizeof(T));
  return *reinterpret_cast<T const*>(copy);
}

template <reducible T, class Op>
task<T> team_all_reduce(team_name team, T mine, Op op) {
  check_collective<T>();
  sweep_result r;
  co_await sweep(team, &mine, sizeof(T), &combine_values<T, Op>, &op, r);
  co_return read_value<T>(r.total);
}
template <reducible T, class Op>
task<std::optional<T>> team_reduce(team_name team, T mine, unsigned root, Op op) {
  check_root(team, root);
  T const total = co_await team_all_reduce(team, mine, op);
  if (team_rank(team) != root) co_return std::nullopt;
  co_return total;
}
template <reducible T>
task<T> team_broadcast(team_name team, T value, unsigned root) {
  check_collective<T>();
  check_root(team, root);
  // The others add nothing to the root's bytes.
  std::array<unsigned char, sizeof(T)> mine{};
  if (team_rank(team) == root) std::memcpy(mine.data(), &value, sizeof(T));
  auto const all = co_await team_all_reduce(team, mine, [](auto left, auto const& right) {
    for (std::size_t i = 0; i < sizeof(T); ++i) left[i] |= right[i];
    return left;
  });
  co_return read_value<T>(reinterpret_cast<std::byte const*>(all.data()));
}
template <reducible T, class Op>
task<T> team_prefix_sum(team_name team, T mine, T first, Op op) {
  check_collective<T>();
  sweep_result r;
  co_await sweep(team, &mine, sizeof(T), &combine_values<T, Op>, &op, r);
  co_return team_rank(team) == 0 ? first : op(first, read_value<T>(r.before));
}

/// A barrier, which begins at its co_await: a task<void>, but for the frame that it does without if it ends at once.
class [[nodiscard("a barrier begins at its co_await"), gnu::warn_unused]] barrier_call {
  class awaiter;

 public:
  using value_type = void;

  barrier_call(team_name team, std::source_location at) noexcept : team_(team), must_await_(lost_barrier, at) {}
  barrier_call(barrier_call const&) = delete;
  barrier_call& operator=(barrier_call const&) = delete;

  operator task<void>() && {
    must_await_.met();
    return made_at(team_barrier(team_), must_await_.where());
  }
  promise_base* release() { return static_cast<task<void>>(std::move(*this)).release(); }
  [[nodiscard]] awaiter operator co_await() && noexcept;

 private:
  team_name team_;
  [[no_unique_address]] must_await must_await_;
};

class barrier_call::awaiter {
 public:
  explicit awaiter(team_name team) noexcept : team_(team) {}

  [[nodiscard]] bool await_ready() {
    if (!barrier_at_once(team_)) return false;
    done_ = self->count_event();
    return !done_;
  }
  /// True, although await_ready() returned false, if it has ended and other tasks have their turn first.
  [[nodiscard]] bool is_done() const noexcept { return done_; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) {
    if (done_) return self->give_way(&h.promise());
    rest_.emplace(team_barrier(team_));
    return std::move(*rest_).operator co_await().await_suspend(h);
  }
  void await_resume() {
    if (rest_) std::move(*rest_).operator co_await().await_resume();
  }

 private:
  team_name team_;
  bool done_ = false;
  std::optional<task<void>> rest_;
};
inline barrier_call::awaiter barrier_call::operator co_await() && noexcept {
  must_await_.met();
  return awaiter(team_);
}
template <>
struct task_traits<barrier_call> {
  static constexpr bool is_task = true;
  using result = void;
};

}  // namespace detail

/// Ends at each place only after it has begun at every place.
[[nodiscard]] inline detail::barrier_call barrier(std::source_location at = std::source_location::current()) noexcept {
  return {detail::world_team, at};
}

/// Combines the values of all places with op, in place order; all get it. op: associative, T(T const&, T const&).
template <detail::reducible T, class Op = detail::addition>
task<T> all_reduce(T mine, Op op = {}, std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_all_reduce(detail::world_team, mine, op), at);
}

/// The same; only `root` gets the result (others an empty optional).
template <detail::reducible T, class Op = detail::addition>
task<std::optional<T>> reduce(T mine, place_id root = 0, Op op = {},
                              std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_reduce(detail::world_team, mine, root, op), at);
}

/// Every place gets root's value.
template <detail::reducible T>
task<T> broadcast(T value, place_id root = 0, std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_broadcast(detail::world_team, value, root), at);
}

/// Combines the values of all lower places with op; gives `first` at place 0 (exclusive prefix).
template <detail::reducible T, class Op = detail::addition>
task<T> prefix_sum(T mine, T first = {}, Op op = {}, std::source_location at = std::source_location::current()) {
  return detail::made_at(detail::team_prefix_sum(detail::world_team, mine, first, op), at);
}

}  // namespace tess
