// global_ptr: a pointer with the same meaning at every place: 16 bits place, 48 bits offset into its segment.
//
//   It holds an offset, not a raw address, so that it can travel in messages and be bounds-checked. All-zero is null:
//   offset 0 is never allocated. Pointer arithmetic moves within one segment; it never changes the place.
//
// Units  arithmetic in elements of T, offset() in bytes.
// Bits   48-63 place, 0-47 offset in bytes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tess/detail/words/global_address.hpp"
#include "tess/detail/words/word_apply.hpp"
#include "tess/error.hpp"

namespace tess {

template <class T>
class global_ptr {
 public:
  using element_type = T;
  static constexpr unsigned offset_bits = detail::offset_bits;
  static constexpr std::uint64_t offset_mask = detail::offset_mask;

  constexpr global_ptr() noexcept = default;
  constexpr global_ptr(std::nullptr_t) noexcept {}
  constexpr global_ptr(place_id place, std::uint64_t offset) noexcept : bits_(detail::global_address(place, offset)) {}

  /// The pointer that has these bits.
  static constexpr global_ptr from_bits(std::uint64_t bits) noexcept {
    global_ptr p;
    p.bits_ = bits;
    return p;
  }

  /// The place, the offset in its segment, and both in one word.
  [[nodiscard]] constexpr place_id place() const noexcept { return detail::place_of(bits_); }
  [[nodiscard]] constexpr std::uint64_t offset() const noexcept { return detail::offset_of(bits_); }
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  constexpr explicit operator bool() const noexcept { return bits_ != 0; }

  /// The same bytes as another type, at the same place.
  template <class U>
  [[nodiscard]] constexpr global_ptr<U> as() const noexcept {
    return global_ptr<U>::from_bits(bits_);
  }
  constexpr operator global_ptr<T const>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return global_ptr<T const>::from_bits(bits_);
  }

  /// The ordinary pointer, valid at place() only (throws elsewhere).
  [[nodiscard]] T* local() const;

  constexpr global_ptr& operator+=(std::ptrdiff_t n) noexcept {
    // Only the offset's 48 bits move, so that a negative step cannot borrow from the place.
    bits_ = (bits_ & ~offset_mask) | ((bits_ + static_cast<std::uint64_t>(n) * sizeof(T)) & offset_mask);
    return *this;
  }
  constexpr global_ptr& operator-=(std::ptrdiff_t n) noexcept { return *this += -n; }
  constexpr global_ptr& operator++() noexcept { return *this += 1; }
  constexpr global_ptr& operator--() noexcept { return *this += -1; }
  friend constexpr global_ptr operator+(global_ptr p, std::ptrdiff_t n) noexcept { return p += n; }
  friend constexpr global_ptr operator-(global_ptr p, std::ptrdiff_t n) noexcept { return p -= n; }
  /// Elements between two pointers into the same segment.
  friend constexpr std::ptrdiff_t operator-(global_ptr a, global_ptr b) noexcept {
    return (static_cast<std::ptrdiff_t>(a.offset()) - static_cast<std::ptrdiff_t>(b.offset())) /
           static_cast<std::ptrdiff_t>(sizeof(T));
  }
  friend constexpr bool operator==(global_ptr, global_ptr) noexcept = default;
  friend constexpr auto operator<=>(global_ptr, global_ptr) noexcept = default;

 private:
  std::uint64_t bits_ = 0;
};

namespace detail {
template <class T>
inline constexpr bool is_word_pointer<global_ptr<T>> = true;
}
static_assert(sizeof(global_ptr<int>) == 8 && std::is_trivially_copyable_v<global_ptr<int>>);

}  // namespace tess
