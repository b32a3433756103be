// global_ref: an object that stays at its place; only this handle travels.
//
//   X10's GlobalRef. At home, `*ref` is the object: `co_await at(ref.home(), [](tess::global_ref<node> r) { … *r … },
//   ref)`. It does not keep the object alive: keep() it, or let it outlive its users.
//
// Errors  tess::error at any other place; in checked builds also if the object no longer exists.
#pragma once

#include "tess/detail/objects/plain_data.hpp"
#include "tess/memory.hpp"

namespace tess {

template <class T>
class global_ref {
 public:
  constexpr global_ref() noexcept = default;
  constexpr global_ref(std::nullptr_t) noexcept {}
  /// Refers to an object of this place.
  explicit global_ref(T* object) : bits_(object == nullptr ? 0 : detail::to_global(object)) {}

  /// The place where the object is.
  [[nodiscard]] constexpr place_id home() const noexcept { return global_ptr<T>::from_bits(bits_).place(); }
  constexpr explicit operator bool() const noexcept { return bits_ != 0; }
  friend constexpr bool operator==(global_ref, global_ref) noexcept = default;

  [[nodiscard]] T* get() const { return static_cast<T*>(detail::to_local(bits_)); }
  T& operator*() const { return *get(); }
  T* operator->() const { return get(); }

 private:
  std::uint64_t bits_ = 0;
};

template <class T>
inline constexpr bool plain_data<global_ref<T>> = true;

}  // namespace tess
