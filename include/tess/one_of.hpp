// one_of: a pointer to an object of one of several types; the object's header says which.
//
// Cost    get_if: one load from the object's header. Errors: none; get_if gives null for another type.
#pragma once

#include <type_traits>

#include "tess/detail/access.hpp"
#include "tess/detail/objects/type_entry.hpp"

namespace tess {

template <class... Types>
class one_of {
 public:
  constexpr one_of() noexcept = default;
  constexpr one_of(std::nullptr_t) noexcept {}
  template <class T>
    requires(std::is_same_v<T, Types> || ...)
  constexpr one_of(T* object) noexcept : object_(object) {}

  constexpr explicit operator bool() const noexcept { return object_ != nullptr; }
  friend constexpr bool operator==(one_of, one_of) noexcept = default;

  /// The object if it is a T; else null.
  template <class T>
    requires(std::is_same_v<T, Types> || ...)
  [[nodiscard]] T* get_if() const noexcept {
    return object_ != nullptr && detail::is_object_of<T>(object_) ? static_cast<T*>(object_) : nullptr;
  }

 private:
  friend struct detail::access;
  static constexpr detail::accepted_types accepted() noexcept {
    return {detail::accepts_types<Types...>::list, sizeof...(Types)};
  }

  void* object_ = nullptr;
};

/// The object behind a pointer to a base, if it is a T; else null.
template <class T, class Base>
[[nodiscard]] T* object_cast(Base* object) noexcept {
  return object != nullptr && detail::is_object_of<T>(object) ? static_cast<T*>(object) : nullptr;
}

}  // namespace tess
