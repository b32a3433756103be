// listed: the content of TESS_OBJECT for a type: its base, and its members with their offsets and names.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>

namespace tess::detail {

template <class T, std::size_t Offset>
struct listed_member {
  std::string_view name;
};
template <class Base, class... Members>
struct listed_type {
  using base = Base;
  std::tuple<Members...> members;
};
template <class Base, class... Members>
consteval listed_type<Base, Members...> list_members(Members... m) {
  return {std::tuple<Members...>(m...)};
}
/// A friend of types that use TESS_OBJECT.
struct listed_access {
  template <class T>
  static consteval auto of()
    requires requires { T::tess_object(static_cast<T*>(nullptr)); }
  {
    return T::tess_object(static_cast<T*>(nullptr));
  }
};
template <class T>
concept is_listed = requires { listed_access::of<T>(); };

template <class T>
struct base_of_type {
  using type = void;
};
template <is_listed T>
struct base_of_type<T> {
  using type = typename decltype(listed_access::of<T>())::base;
};

}  // namespace tess::detail
