// global_array: an array spread over all places in equal blocks: element i lies at place i / block().
//
//   Created by one task for all places; the handle is a value that travels in `at`. Every place has its block at the
//   offset, so the address of an element is arithmetic.
//
// Shapes   [size()], blocks of block() elements, the last ones shorter or empty.
// Units    elements of T, trivially copyable; new elements are zero.
// Cost     owner() is one multiplication for arrays of fewer than 2^32 elements.
#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <type_traits>

#include "tess/detail/min_max.hpp"
#include "tess/detail/objects/plain_data.hpp"
#include "tess/forall.hpp"
#include "tess/global_ptr.hpp"
#include "tess/memory.hpp"
#include "tess/place.hpp"

namespace tess {

/// Where an element of an array lies: at `place`, as element `offset` of what local() gives there.
struct place_offset {
  place_id place;
  std::uint64_t offset;
};

template <class T>
class global_array {
 public:
  using element_type = T;

  global_array() = default;

  /// Creates `size` zeroed elements over all places; blocks are multiples of `unit` (1 or more). One task calls it.
  static task<global_array> make(std::uint64_t size, std::uint64_t unit = 1,
                                 std::source_location at = std::source_location::current()) {
    detail::check_element<T>();
    auto const bytes_of = [&](std::uint64_t elements) {
      return detail::checked_share(elements, sizeof(T), size, "global_array::make", at);
    };
    unit = detail::max_of(unit, 1);
    std::uint64_t const share = size / places() + (size % places() != 0);
    static_cast<void>(bytes_of(share));  // so that rounding up cannot overflow
    std::uint64_t const block = detail::max_of((share + unit - 1) / unit * unit, unit);
    std::uint64_t const offset = co_await detail::symmetric_allocate(bytes_of(block));
    co_return global_array(offset, size, block);
  }
  /// Gives the memory back at all places. One task calls it, for all, when no task uses the array any more.
  static task<void> release(global_array a) { return detail::symmetric_release(a.offset_); }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Elements per place (the last places may have fewer).
  [[nodiscard]] std::uint64_t block() const noexcept { return block_; }

  /// The place that holds element i.
  [[nodiscard]] place_id owner(std::uint64_t i) const noexcept {
#if defined(__SIZEOF_INT128__)
    if (reciprocal_ != 0) [[likely]]
      return static_cast<place_id>(static_cast<unsigned __int128>(i) * reciprocal_ >> 64);
#endif
    return static_cast<place_id>(i / block_);
  }
  /// The same with its index in local() there: auto const [place, offset] = a.where(i);
  [[nodiscard]] place_offset where(std::uint64_t i) const noexcept {
    place_id const p = owner(i);
    return {p, i - std::uint64_t{p} * block_};
  }
  [[nodiscard]] global_ptr<T> operator[](std::uint64_t i) const noexcept {
    place_id const p = owner(i);
    std::uint64_t const offset = offset_ + (i - std::uint64_t{p} * block_) * sizeof(T);
    // Lets the compiler omit the mask: the value fits anyway.
#if defined(__clang__)
    __builtin_assume(offset <= global_ptr<T>::offset_mask);
#endif
    return global_ptr<T>(p, offset);
  }

  /// First index of a place's block, and one past its last.
  [[nodiscard]] std::uint64_t begin_at(place_id p) const noexcept { return detail::min_of(p * block_, size_); }
  [[nodiscard]] std::uint64_t end_at(place_id p) const noexcept {
    return detail::min_of((p + std::uint64_t{1}) * block_, size_);
  }

  /// This place's block, for ordinary loads and stores.
  [[nodiscard]] std::span<T> local() const {
    place_id const p = here();
    return {global_ptr<T>(p, offset_).local(), end_at(p) - begin_at(p)};
  }

 private:
  global_array(std::uint64_t offset, std::uint64_t size, std::uint64_t block) noexcept
      : offset_(offset), size_(size), block_(block), reciprocal_(reciprocal_of(size, block)) {}

  /// ceil(2^64 / block), so that the high half of i * reciprocal is i / block: for all i if block is a power of two,
  /// else for i below 2^32 (Granlund and Montgomery, "Division by invariant integers", 1994). 0: divide.
  static std::uint64_t reciprocal_of(std::uint64_t size, std::uint64_t block) noexcept {
    bool const power = (block & (block - 1)) == 0;
    return block > 1 && (power || size <= std::uint64_t{1} << 32) ? ~std::uint64_t{0} / block + 1 : 0;
  }

  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t block_ = 1;
  std::uint64_t reciprocal_ = 0;
};

/// f(i, element) for every element, at its owner, in parallel. f returns void or task<> and travels as for at_async.
template <class T, class F>
  requires std::invocable<F const&, std::uint64_t, T&>
task<void> forall(global_array<T> a, F f) {
  return on_all_places(
      [](global_array<T> array, F body) -> task<void> {
        T* const elements = array.local().data();
        std::uint64_t const first = array.begin_at(here());
        co_await forall(first, array.end_at(here()), [=](std::uint64_t i) { return body(i, elements[i - first]); });
      },
      a, f);
}

template <class T>
inline constexpr bool plain_data<global_array<T>> = true;

}  // namespace tess
