// block: the block primitive: spans to and from other places, and place to place, completing on a counter.
//
//   Source first, then target (unlike the put of a word, whose pointer comes first); `put` takes a span of constants:
//   put(std::span<T const>(v), p). The memory named by a span must stay as it is until its counter says so, and the
//   bytes of a get may come at any time before. `put` may name a second counter, at the
//   target, which is acknowledged once when the bytes are there (put with notification); with an empty span it is a
//   bare notification.
//
// Units    spans in elements of T, trivially copyable.
// Errors   checked builds throw tess::error for ranges outside the segment; place_failed at the counter.
// Source   RDMA copy with explicit acknowledgement, "Cache-Integrated Network Interfaces" (IJPP 2012).
#pragma once

#include <cstddef>
#include <source_location>
#include <span>
#include <type_traits>

#include "tess/counter.hpp"
#include "tess/global_ptr.hpp"

namespace tess {

namespace detail {
void block_put(std::span<std::byte const> source, std::uint64_t target, completion* local, std::uint64_t notified,
               std::source_location at);
void block_get(std::uint64_t source, std::span<std::byte> target, completion* local, std::source_location at);
void block_copy(std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local,
                std::source_location at);

/// A block operation with a counter of its own, for `co_await put(span, p)`.
class [[nodiscard("a block operation completes at its co_await, or give it a counter")]] block_call {
 public:
  template <class Issue>
  explicit block_call(Issue issue) {
    issue(counter_.cell());
  }
  auto operator co_await() && noexcept { return cell_awaiter{counter_.cell(), "block transfer"}; }

 private:
  counter counter_;
};

template <class T>
concept block_element = std::is_trivially_copyable_v<T>;
}  // namespace detail

/// Writes `source` to `target` and following; `done` is idle again once the bytes are there.
template <detail::block_element T>
void put(std::span<T const> source, global_ptr<T> target, counter& done,
         std::source_location at = std::source_location::current()) {
  detail::block_put(std::as_bytes(source), target.bits(), &done.cell(), 0, at);
}
/// The same, and acknowledges `notified`, at the target's place, once. Its owner announces it with expect(1).
template <detail::block_element T>
void put(std::span<T const> source, global_ptr<T> target, counter& done, global_ptr<counter> notified,
         std::source_location at = std::source_location::current()) {
  detail::block_put(std::as_bytes(source), target.bits(), &done.cell(), notified.bits(), at);
}
template <detail::block_element T>
auto put(std::span<T const> source, global_ptr<T> target, std::source_location at = std::source_location::current()) {
  return detail::block_call(
      [&](detail::completion& c) { detail::block_put(std::as_bytes(source), target.bits(), &c, 0, at); });
}

/// Acknowledges a counter anywhere, once; fire and forget.
inline void notify(global_ptr<counter> target, std::source_location at = std::source_location::current()) {
  detail::block_put({}, target.bits(), nullptr, target.bits(), at);
}

/// Reads target.size() elements from `source` and following.
template <class T>
  requires detail::block_element<T> && (!std::is_const_v<T>)
void get(global_ptr<std::type_identity_t<T> const> source, std::span<T> target, counter& done,
         std::source_location at = std::source_location::current()) {
  detail::block_get(source.bits(), std::as_writable_bytes(target), &done.cell(), at);
}
template <class T>
  requires detail::block_element<T> && (!std::is_const_v<T>)
auto get(global_ptr<std::type_identity_t<T> const> source, std::span<T> target,
         std::source_location at = std::source_location::current()) {
  return detail::block_call(
      [&](detail::completion& c) { detail::block_get(source.bits(), std::as_writable_bytes(target), &c, at); });
}

/// Copies `count` elements from one place to another (or the same); neither need be the caller's. On every fabric the
/// ranges must not overlap.
template <detail::block_element T>
void copy(global_ptr<std::type_identity_t<T> const> source, global_ptr<T> target, std::size_t count, counter& done,
          std::source_location at = std::source_location::current()) {
  detail::block_copy(source.bits(), target.bits(), count * sizeof(T), &done.cell(), at);
}
template <detail::block_element T>
auto copy(global_ptr<std::type_identity_t<T> const> source, global_ptr<T> target, std::size_t count,
          std::source_location at = std::source_location::current()) {
  return detail::block_call(
      [&](detail::completion& c) { detail::block_copy(source.bits(), target.bits(), count * sizeof(T), &c, at); });
}

}  // namespace tess
