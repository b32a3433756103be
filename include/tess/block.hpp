// block: block transfers: spans to, from and between other places, with completion on a counter.
//
//   The source comes first, then the target (unlike the put of a word, whose pointer comes first). Spans, vectors and
//   arrays are accepted; with a counter, only ranges that outlive the call. Their memory must stay unchanged until the
//   counter is idle, and the bytes of a get may arrive at any time before that. `put` may name a second counter, at the
//   target, which is acknowledged once when the bytes have arrived (put with notification). With an empty span it is a
//   pure notification.
//
// Units    spans in elements of T, trivially copyable.
// Cost     a put of at most a cache line, of a length known at compile time, is a store if there is a window;
//          other transfers are a call of the fabric.
// Errors   checked builds throw tess::error for ranges outside the segment; place_failed through the counter.
// Source   RDMA copy with explicit acknowledgement, "Cache-Integrated Network Interfaces" (IJPP 2012).
#pragma once

#include <cstddef>
#include <cstring>
#include <source_location>
#include <span>
#include <type_traits>

#include "tess/counter.hpp"
#include "tess/detail/access.hpp"
#include "tess/detail/range_concepts.hpp"
#include "tess/detail/tasks/worker.hpp"
#include "tess/global_ptr.hpp"

namespace tess {

namespace detail {
void block_put(std::span<std::byte const> source, std::uint64_t target, completion* local, std::uint64_t notified,
               std::source_location at);
void block_get(std::uint64_t source, std::span<std::byte> target, completion* local, std::source_location at);
void block_copy(std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local,
                std::source_location at);

/// A block operation with its own counter, for `co_await put(span, p)`.
class [[nodiscard("a block operation completes at its co_await, or give it a counter"), gnu::warn_unused]] block_call {
 public:
  template <class Issue>
  explicit block_call(Issue issue) {
    issue(detail::access::cell(counter_));
  }
  auto operator co_await() && noexcept { return cell_awaiter{detail::access::cell(counter_), block_wait}; }

 private:
  counter counter_;
};

template <class T>
concept block_element = std::is_trivially_copyable_v<T>;

/// A range of contiguous elements: a span, a std::vector, a std::array, an array.
template <class R>
concept block_source =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && block_element<std::ranges::range_value_t<R>>;
/// A block source that is writable and that outlives the call.
template <class R>
concept block_target = block_source<R> && std::ranges::borrowed_range<R> &&
                       !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

template <class R>
std::span<std::byte const> bytes_of(R& range) {
  return std::as_bytes(std::span(std::ranges::data(range), std::ranges::size(range)));
}
template <class R>
std::span<std::byte> writable_bytes_of(R& range) {
  return std::as_writable_bytes(std::span(std::ranges::data(range), std::ranges::size(range)));
}
/// Stores a few bytes, of a length known at compile time, through a window at once; false: a put is needed.
template <class R>
[[gnu::always_inline]] inline bool store_through_window(R& source, std::uint64_t target) noexcept {
#if !(defined(TESS_CHECKED) && TESS_CHECKED) && !TESS_RACES
  using bytes = decltype(std::as_bytes(std::span(source)));
  if constexpr (bytes::extent <= cache_line) {
    auto const here = job.atomic_window[place_of(target)] + offset_of(target);
    if (static_cast<std::int64_t>(here) < 0) [[unlikely]]
      return false;
    bump(self->counts.stores);
    bump(self->counts.stored_bytes, bytes::extent);
    std::memcpy(bytes_of_window(here), std::ranges::data(source), bytes::extent);
    return true;
  }
#endif
  static_cast<void>(source);
  static_cast<void>(target);
  return false;
}
}  // namespace detail

/// Writes `source` to the memory that starts at `target`; `done` is idle again once the bytes are there.
template <detail::block_source R>
  requires std::ranges::borrowed_range<R>
void put(R&& source, global_ptr<std::ranges::range_value_t<R>> target, counter& done,
         std::source_location at = std::source_location::current()) {
  if (detail::store_through_window(source, target.bits())) return;
  detail::block_put(detail::bytes_of(source), target.bits(), &detail::access::cell(done), 0, at);
}
/// The same, and acknowledges `notified`, at the target's place, once. Its owner announces that with expect(1).
template <detail::block_source R>
  requires std::ranges::borrowed_range<R>
void put(R&& source, global_ptr<std::ranges::range_value_t<R>> target, counter& done, global_ptr<counter> notified,
         std::source_location at = std::source_location::current()) {
  detail::block_put(detail::bytes_of(source), target.bits(), &detail::access::cell(done), notified.bits(), at);
}
template <detail::block_source R>
auto put(R&& source, global_ptr<std::ranges::range_value_t<R>> target,
         std::source_location at = std::source_location::current()) {
  return detail::block_call(
      [&](detail::completion& c) { detail::block_put(detail::bytes_of(source), target.bits(), &c, 0, at); });
}

/// Acknowledges a counter at any place, once; the caller does not wait.
inline void notify(global_ptr<counter> target, std::source_location at = std::source_location::current()) {
  detail::block_put({}, target.bits(), nullptr, target.bits(), at);
}

/// Reads std::size(target) elements from the memory that starts at `source`.
template <detail::block_target R>
void get(global_ptr<std::ranges::range_value_t<R> const> source, R&& target, counter& done,
         std::source_location at = std::source_location::current()) {
  detail::block_get(source.bits(), detail::writable_bytes_of(target), &detail::access::cell(done), at);
}
template <detail::block_target R>
auto get(global_ptr<std::ranges::range_value_t<R> const> source, R&& target,
         std::source_location at = std::source_location::current()) {
  return detail::block_call(
      [&](detail::completion& c) { detail::block_get(source.bits(), detail::writable_bytes_of(target), &c, at); });
}

/// Copies `count` elements between any two places, or within one; neither needs to be the caller's. The ranges must
/// not overlap, on any fabric.
template <detail::block_element T>
void copy(global_ptr<std::type_identity_t<T> const> source, global_ptr<T> target, std::size_t count, counter& done,
          std::source_location at = std::source_location::current()) {
  detail::block_copy(source.bits(), target.bits(), count * sizeof(T), &detail::access::cell(done), at);
}
template <detail::block_element T>
auto copy(global_ptr<std::type_identity_t<T> const> source, global_ptr<T> target, std::size_t count,
          std::source_location at = std::source_location::current()) {
  return detail::block_call(
      [&](detail::completion& c) { detail::block_copy(source.bits(), target.bits(), count * sizeof(T), &c, at); });
}

}  // namespace tess
