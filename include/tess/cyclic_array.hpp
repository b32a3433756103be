// cyclic_array: an array spread over all places in blocks, dealt out in turns: block b lies at place b % places.
//
//   With blocks of one element it is cyclic, with larger ones block-cyclic; global_array has one block at each place.
//   Made by one task for all places; the handle is a value that travels in `at`.
//
//     auto const a = co_await cyclic_array<double>::make(n);        // element i at place i % places
//     auto const b = co_await cyclic_array<double>::make(n, 64);    // 64 neighbours together
//     auto const [place, offset] = b.where(i);                      // element `offset` of b.local() there
//
// Shapes    [size()]; local() has the elements of this place in the order of their indices.
// Units     elements of T, trivially copyable; new elements are zero.
// Cost      an index costs two divisions; by constants, if `block` and the number of places are powers of two, shifts.
#pragma once

#include <bit>
#include <cstdint>
#include <source_location>
#include <span>
#include <type_traits>

#include "tess/detail/min_max.hpp"
#include "tess/detail/objects/plain_data.hpp"
#include "tess/forall.hpp"
#include "tess/global_array.hpp"
#include "tess/global_ptr.hpp"
#include "tess/memory.hpp"
#include "tess/place.hpp"

namespace tess {

template <class T>
class cyclic_array {
 public:
  using element_type = T;

  cyclic_array() = default;

  /// Creates `size` zeroed elements over all places, in blocks of `block` (1 or more). One task calls it.
  static task<cyclic_array> make(std::uint64_t size, std::uint64_t block = 1,
                                 std::source_location at = std::source_location::current()) {
    detail::check_element<T>();
    auto const bytes_of = [&](std::uint64_t elements, std::size_t bytes) {
      return detail::checked_share(elements, bytes, size, "cyclic_array::make", at);
    };
    block = detail::max_of(block, 1);
    std::uint64_t const blocks = size / block + (size % block != 0);
    std::uint64_t const rounds = blocks / tess::places() + (blocks % tess::places() != 0);
    std::uint64_t const elements = detail::max_of(bytes_of(rounds, block), 1);
    std::uint64_t const offset = co_await detail::symmetric_allocate(bytes_of(elements, sizeof(T)));
    co_return cyclic_array(offset, size, block);
  }
  /// Gives the memory back at all places. One task calls it, for all, when no task uses the array any more.
  static task<void> release(cyclic_array a) { return detail::symmetric_release(a.offset_); }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Elements in a block.
  [[nodiscard]] std::uint64_t block() const noexcept { return block_; }

  /// The place that holds element i, and its index in local() there.
  [[nodiscard]] place_offset where(std::uint64_t i) const noexcept {
    std::uint64_t const b = i / block_;
    return {static_cast<place_id>(b % places()), b / places() * block_ + i % block_};
  }
  [[nodiscard]] place_id owner(std::uint64_t i) const noexcept { return where(i).place; }
  [[nodiscard]] global_ptr<T> operator[](std::uint64_t i) const noexcept {
    auto const [place, offset] = where(i);
    return global_ptr<T>(place, offset_ + offset * sizeof(T));
  }
  /// The index of element `offset` of a place's local(): where() backwards.
  [[nodiscard]] std::uint64_t index(place_id place, std::uint64_t offset) const noexcept {
    return (offset / block_ * places() + place) * block_ + offset % block_;
  }

  /// Elements at a place.
  [[nodiscard]] std::uint64_t count_at(place_id p) const noexcept {
    std::uint64_t const blocks = size_ / block_;  // whole ones
    std::uint64_t const whole = blocks / places() + (p < blocks % places() ? 1 : 0);
    return whole * block_ + (p == blocks % places() ? size_ % block_ : 0);
  }
  /// This place's elements, for ordinary loads and stores.
  [[nodiscard]] std::span<T> local() const {
    return {global_ptr<T>(here(), offset_).local(), static_cast<std::size_t>(count_at(here()))};
  }

 private:
  cyclic_array(std::uint64_t offset, std::uint64_t size, std::uint64_t block) noexcept
      : offset_(offset), size_(size), block_(block) {}

  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t block_ = 1;
};

/// f(i, element) for every element, at its owner, in parallel. f returns void or task<> and travels as for at_async.
template <class T, class F>
  requires std::invocable<F const&, std::uint64_t, T&>
task<void> forall(cyclic_array<T> a, F f) {
  return on_all_places(
      [](cyclic_array<T> array, F body) -> task<void> {
        auto const elements = array.local();
        co_await forall(0, elements.size(), [=](std::uint64_t k) { return body(array.index(here(), k), elements[k]); });
      },
      a, f);
}

template <class T>
inline constexpr bool plain_data<cyclic_array<T>> = true;

}  // namespace tess
