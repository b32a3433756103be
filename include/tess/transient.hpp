// transient: a member that does not travel: at another place it arrives as zero.
//
//   For caches, indices into place-local tables, raw addresses. X10's `transient`.
#pragma once

#include <type_traits>

namespace tess {

/// Occupies whole words, so that a mask of the machine can distinguish it from its neighbours.
template <class T>
class alignas(alignof(T) > 8 ? alignof(T) : 8) transient {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                "tess::transient: it arrives as zeros, so T must be trivially copyable");

 public:
  constexpr transient() noexcept = default;
  constexpr transient(T value) noexcept : value_(value) {}
  constexpr transient& operator=(T value) noexcept {
    value_ = value;
    return *this;
  }

  constexpr operator T&() noexcept { return value_; }
  constexpr operator T const&() const noexcept { return value_; }
  /// The value.
  [[nodiscard]] constexpr T& value() noexcept { return value_; }
  [[nodiscard]] constexpr T const& value() const noexcept { return value_; }
  constexpr T operator->() const noexcept
    requires std::is_pointer_v<T>
  {
    return value_;
  }

 private:
  T value_{};
};

}  // namespace tess
