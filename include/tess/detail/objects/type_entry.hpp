// type_entry: the record of a type of objects, and that of its arrays, in the section `tess_types`.
#pragma once

#include "tess/detail/objects/derived.hpp"

namespace tess::detail {

template <class T>
inline constexpr std::uint8_t block_alignment = alignof(T) <= 8 ? 8 : 16;

template <class T>
consteval type_record const* base_record() {
  using base = typename base_of_type<T>::type;
  if constexpr (std::is_void_v<base>)
    return nullptr;
  else
    return &type_entry<base>::record;
}

template <class T>
struct type_entry {
  static_assert(!derived<T>::can_travel || std::is_trivially_destructible_v<T>,
                "tess: objects end with their region, without destructors: use members that need none");
  static_assert(alignof(T) <= 16, "tess: objects are aligned to 16 bytes at most");
  static_assert(sizeof(T) < (1U << 31), "tess: an object is smaller than 2 GiB: use tess::array");

  [[gnu::section("tess_types"), gnu::used, gnu::retain,
    gnu::visibility("hidden")]] static constinit inline type_record const record{(sizeof(T) + 7) / 8 * 8,
                                                                                 derived<T>::slots_count,
                                                                                 derived<T>::slots.data(),
                                                                                 block_kind::object,
                                                                                 block_alignment<T>,
                                                                                 derived<T>::transients_count,
                                                                                 derived<T>::transients.data(),
                                                                                 derived<T>::checks.data(),
                                                                                 derived<T>::mask.data(),
                                                                                 base_record<T>(),
                                                                                 type_name<T>()};
};

/// An array of data has no slots, an array of pointers only slots: one check says what they may lead to.
template <class E>
struct array_entry {
  static consteval auto make_check() {
    slot_check c;
    if constexpr (std::is_pointer_v<E>) c.accepted = accepted_by_pointer<std::remove_cv_t<std::remove_pointer_t<E>>>();
    return c;
  }
  static constinit inline slot_check const check = make_check();
  static_assert(alignof(E) <= 16, "tess: elements of an array are aligned to 16 bytes at most");

  [[gnu::section("tess_types"), gnu::used, gnu::retain,
    gnu::visibility("hidden")]] static constinit inline type_record const record{
      sizeof(E),
      0,
      nullptr,
      std::is_pointer_v<E> ? block_kind::pointer_array : block_kind::data_array,
      block_alignment<E>,
      0,
      nullptr,
      &check,
      nullptr,
      nullptr,
      type_name<array<E>>()};
};

/// Compares with the object's header; a type derived from T counts.
[[nodiscard]] bool object_has_type(void const* object, type_record const& type) noexcept;

template <class T>
[[nodiscard]] bool is_object_of(void const* object) noexcept {
  return object_has_type(object, type_entry<T>::record);
}

}  // namespace tess::detail
