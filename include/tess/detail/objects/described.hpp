// described: derives a type's pointer mask from its members at compile time, and gives the type its record.
//
//   A member that cannot travel is a compile error that names it and the remedy. Offsets follow from the members'
//   types in order; make() checks them against the addresses (at no cost), so packed members are also detected.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "tess/detail/access.hpp"
#include "tess/detail/objects/listed.hpp"
#include "tess/detail/objects/members.hpp"
#include "tess/detail/objects/plain_data.hpp"
#include "tess/detail/objects/region.hpp"
#include "tess/global_ptr.hpp"

namespace tess {

template <class T>
class array;
class string;
template <class T>
class transient;
template <class... Types>
class one_of;

template <class T>
inline constexpr bool plain_data<global_ptr<T>> = true;

namespace detail {

template <class T>
struct type_entry;
template <class T>
struct array_entry;

// ── kinds of members ────────────────────────────────────────────────────────────────────────────────────────────────

template <class T, template <class...> class Template>
inline constexpr bool is_a = false;
template <class... A, template <class...> class Template>
inline constexpr bool is_a<Template<A...>, Template> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

/// std::unique_ptr, std::shared_ptr and similar types.
template <class T>
concept smart_pointer = std::is_class_v<T> && requires(T const p) {
  typename T::element_type;
  p.get();
  p.operator->();
  static_cast<bool>(p);
};

template <class T>
concept is_complete = requires { sizeof(T); };

/// A class that make() could create; a class that is only declared is accepted, because nothing is known of it yet.
template <class U>
consteval bool may_be_object() {
  if constexpr (!std::is_class_v<U>)
    return false;
  else if constexpr (!is_complete<U>)
    return true;
  else
    return (std::is_aggregate_v<U> || is_listed<U>) && !std::is_polymorphic_v<U> && std::is_trivially_destructible_v<U>;
}

/// Bytes with the same meaning at every place, judged without looking at members: they can hide no pointer.
template <class T>
inline constexpr bool is_scalar_data =
    (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_null_pointer_v<T> || plain_data<T> || complex_number<T>);
template <class T>
inline constexpr bool is_scalar_data<std::optional<T>> = is_scalar_data<T>;
template <class... T>
inline constexpr bool is_scalar_data<std::variant<T...>> = (is_scalar_data<T> && ...);

template <class U>
struct accepts_type {
  static constinit inline type_record const* const list[] = {&type_entry<U>::record};
};
template <class... U>
struct accepts_types {
  static constinit inline type_record const* const list[] = {&type_entry<U>::record...};
};
template <class T>
struct accepts_array {
  static constinit inline type_record const* const list[] = {&array_entry<T>::record};
};

template <class U>
consteval accepted_types accepted_by_pointer() {
  if constexpr (is_complete<U>)
    return {accepts_type<U>::list, 1};
  else
    return {};
}

// ── the walk over the members ───────────────────────────────────────────────────────────────────────────────────────

struct raw_slot {
  std::size_t offset;
  slot_check check;
  bool array_of_pointers;
};

/// A list that grows at compile time: with std::vector, compilation takes several times as long.
template <class T>
class built_list {
 public:
  constexpr built_list() = default;
  constexpr built_list(built_list const& other) : built_list() {
    for (T const& item : other) push_back(item);
  }
  constexpr built_list& operator=(built_list const& other) {
    if (this != &other) {
      size_ = 0;
      for (T const& item : other) push_back(item);
    }
    return *this;
  }
  constexpr ~built_list() { delete[] items_; }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr T const& operator[](std::size_t i) const { return items_[i]; }
  [[nodiscard]] constexpr T const* begin() const { return items_; }
  [[nodiscard]] constexpr T const* end() const { return items_ + size_; }
  constexpr void push_back(T const& item) {
    if (size_ == room_) {
      std::size_t const room = room_ == 0 ? 16 : 2 * room_;
      T* const larger = new T[room]{};
      for (std::size_t i = 0; i < size_; ++i) larger[i] = items_[i];
      delete[] items_;
      items_ = larger;
      room_ = room;
    }
    items_[size_++] = item;
  }

 private:
  T* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

/// A string at compile time (not every std::string supports that).
struct built_text {
  built_list<char> characters;

  constexpr built_text() = default;
  constexpr built_text(std::string_view t) { append(t); }
  constexpr built_text& append(std::string_view t) {
    for (char const c : t) characters.push_back(c);
    return *this;
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters.begin(), characters.size()}; }
  /// The name of a member of what this names.
  [[nodiscard]] constexpr built_text member(std::string_view name) const {
    return built_text(view()).append("::").append(name);
  }
};

/// The kind of remedy; the texts are in fault_report.
enum class remedy : std::uint8_t {
  none,
  callable,
  one_of,
  array,
  string,
  object,
  vector,
  pointer,
  optional,
  variant,
  reference,
  virtual_functions,
  listing,
  fewer,
  layout,
  complete,
  elements,
  aligned
};

/// A type with such a member is not one that make() creates, and pointers to it are no pointers to objects.
constexpr bool makes_no_object(remedy use) {
  return use == remedy::string || use == remedy::vector || use == remedy::pointer || use == remedy::optional ||
         use == remedy::variant || use == remedy::virtual_functions || use == remedy::listing;
}

/// The result of the derivation: slots, transients, and the first fault, as text.
struct derivation {
  built_list<raw_slot> slots;
  built_list<byte_range> transients;
  built_text fault;
  remedy instead = remedy::none;
  bool of_pointee = false;  ///< asked only what is wrong with a type that a pointer leads to

  constexpr void fail(built_text const& path, std::string_view type, remedy use) {
    // A pointer to a type that is no object may only follow from another member, as in a list's node.
    if (instead != remedy::none && (instead != remedy::object || !makes_no_object(use))) return;
    instead = use;
    fault = built_text(path.view()).append(" (").append(type).append(")");
  }
};

template <class M>
consteval remedy remedy_for() {
  if constexpr (std::is_pointer_v<M>) {
    using U = std::remove_cv_t<std::remove_pointer_t<M>>;
    if constexpr (std::is_function_v<U>) return remedy::callable;
    if constexpr (std::is_void_v<U>) return remedy::one_of;
    if constexpr (!std::is_class_v<U>) return remedy::array;
    if constexpr (is_a<U, std::basic_string>) return remedy::string;
    return remedy::object;
  }
  if constexpr (is_a<M, std::basic_string> || is_a<M, std::basic_string_view>) return remedy::string;
  if constexpr (is_a<M, std::vector>) return remedy::vector;
  if constexpr (smart_pointer<M>) return remedy::pointer;
  if constexpr (is_a<M, std::optional>) return remedy::optional;
  if constexpr (is_a<M, std::variant>) return remedy::variant;
  if constexpr (std::is_reference_v<M>) return remedy::reference;
  if constexpr (std::is_polymorphic_v<M>) return remedy::virtual_functions;
  return remedy::listing;
}

template <class M>
constexpr void derive_member(derivation& d, std::size_t offset, built_text const& path);

template <class... M>
struct member_types {
  template <std::size_t I>
  using at = std::tuple_element_t<I, std::tuple<std::type_identity<M>...>>::type;
};

/// Visits the members of an aggregate.
template <class T>
struct aggregate {
  static constexpr std::size_t count = count_members<T>();
  using types =
      decltype(with_members<count>(std::declval<T&>(), []<class... M>(M&...) { return member_types<M...>(); }));

  static consteval auto addresses() {
    return with_members<count>(unmade_object<T>.object, [](auto&... m) { return std::tuple(&m...); });
  }
  template <std::size_t I>
  static consteval std::string_view name() {
    return member_name<std::get<I>(addresses())>();
  }
};

/// Members in sequence, placed by their alignments.
template <class T, std::size_t... I>
constexpr void derive_aggregate(derivation& d, std::size_t offset, built_text const& path, std::index_sequence<I...>) {
  std::size_t end = 0;
  auto const one = [&]<std::size_t J>() {
    using M = typename aggregate<T>::types::template at<J>;
    end = (end + alignof(M) - 1) / alignof(M) * alignof(M);
    derive_member<std::remove_cv_t<M>>(d, offset + end, path.member(aggregate<T>::template name<J>()));
    end += sizeof(M);
  };
  (one.template operator()<I>(), ...);
  end = (end + alignof(T) - 1) / alignof(T) * alignof(T);
  if (sizeof...(I) != 0 && end != sizeof(T)) d.fail(path, short_name<T>(), remedy::layout);
}

/// The members that TESS_OBJECT lists, which must cover the type.
template <class T, class Base, class... M>
constexpr void derive_listed(derivation& d, std::size_t offset, built_text const& path,
                             listed_type<Base, M...> const& listed) {
  std::size_t end = 0;
  if constexpr (!std::is_void_v<Base>) {
    static_assert(std::is_base_of_v<Base, T>, "TESS_OBJECT: the second argument is the base, or void");
    derive_member<Base>(d, offset, path);
    end = std::is_empty_v<Base> ? 0 : sizeof(Base);
    // Members may lie in the base's tail padding.
    if constexpr (!std::is_standard_layout_v<Base>) end -= alignof(Base) - 1;
  }
  auto const one = [&]<class Type, std::size_t Offset>(listed_member<Type, Offset> const& m) {
    if (Offset > end && Offset - end >= alignof(Type)) d.fail(path, short_name<T>(), remedy::complete);
    derive_member<std::remove_cv_t<Type>>(d, offset + Offset, path.member(m.name));
    end = Offset + sizeof(Type);
  };
  std::apply([&](auto const&... m) { (one(m), ...); }, listed.members);
  if (sizeof(T) > end && sizeof(T) - end >= alignof(T) && !std::is_empty_v<T>)
    d.fail(path, short_name<T>(), remedy::complete);
}

template <class E>
constexpr void derive_array(derivation& d, std::size_t offset, built_text const& path) {
  d.slots.push_back({offset, {{accepts_array<E>::list, 1}, true}, std::is_pointer_v<E>});
  if constexpr (std::is_pointer_v<E>) {
    if (!may_be_object<std::remove_cv_t<std::remove_pointer_t<E>>>()) d.fail(path, short_name<E>(), remedy_for<E>());
  } else {
    derivation elements;
    derive_member<E>(elements, 0, path);
    if (elements.instead != remedy::none) {
      if (d.instead == remedy::none) {
        d.fault = elements.fault;
        d.instead = elements.instead;
      }
    } else if (!elements.slots.empty() || !elements.transients.empty()) {
      d.fail(path, short_name<array<E>>(), remedy::elements);
    }
  }
}

template <class M>
constexpr void derive_class(derivation& d, std::size_t offset, built_text const& path) {
  if constexpr (is_a<M, array> || std::is_same_v<M, string>) {
    derive_array<typename M::value_type>(d, offset, path);
  } else if constexpr (is_a<M, transient>) {
    d.transients.push_back({static_cast<std::uint32_t>(offset), sizeof(M)});
  } else if constexpr (is_a<M, one_of>) {
    d.slots.push_back({offset, {access::accepted<M>(), false}, false});
  } else if constexpr (is_std_array<M>) {
    for (std::size_t i = 0; i < std::tuple_size_v<M>; ++i)
      derive_member<typename M::value_type>(d, offset + i * sizeof(typename M::value_type), path);
  } else if constexpr (std::is_polymorphic_v<M>) {
    d.fail(path, short_name<M>(), remedy_for<M>());
  } else if constexpr (is_listed<M>) {
    derive_listed<M>(d, offset, path, listed_access::of<M>());
  } else if constexpr (std::is_aggregate_v<M> && std::is_trivially_copyable_v<M>) {
    if constexpr (count_members<M>() > members_max)
      d.fail(path, short_name<M>(), remedy::fewer);
    else
      derive_aggregate<M>(d, offset, path, std::make_index_sequence<aggregate<M>::count>{});
  } else if constexpr (std::is_aggregate_v<M> && count_members<M>() <= members_max) {
    // One of its members is not trivially copyable: find out which.
    derive_aggregate<M>(d, offset, path, std::make_index_sequence<aggregate<M>::count>{});
    if (d.instead == remedy::none) d.fail(path, short_name<M>(), remedy_for<M>());
  } else {
    d.fail(path, short_name<M>(), remedy_for<M>());
  }
}

/// A pointer to a type that is no object: the member that makes it none is at fault.
template <class U>
constexpr void derive_pointee(derivation& d, built_text const& path) {
  derivation pointee;
  pointee.of_pointee = true;
  if (!d.of_pointee) derive_member<U>(pointee, 0, short_name<U>());
  if (!makes_no_object(pointee.instead)) {
    d.fail(path, short_name<U*>(), remedy_for<U*>());
  } else if (d.instead == remedy::none) {
    d.fault = pointee.fault;
    d.instead = pointee.instead;
  }
}

template <class M>
constexpr void derive_member(derivation& d, std::size_t offset, built_text const& path) {
  if constexpr (std::is_pointer_v<M>) {
    using U = std::remove_cv_t<std::remove_pointer_t<M>>;
    if constexpr (may_be_object<U>())
      d.slots.push_back({offset, {accepted_by_pointer<U>(), false}, false});
    else if constexpr (std::is_aggregate_v<U> && std::is_class_v<U> && count_members<U>() <= members_max)
      derive_pointee<U>(d, path);
    else
      d.fail(path, short_name<M>(), remedy_for<M>());
  } else if constexpr (is_scalar_data<M>) {
  } else if constexpr (std::is_array_v<M>) {
    using E = std::remove_extent_t<M>;
    for (std::size_t i = 0; i < std::extent_v<M>; ++i) derive_member<E>(d, offset + i * sizeof(E), path);
  } else if constexpr (std::is_class_v<M>) {
    derive_class<M>(d, offset, path);
  } else {
    d.fail(path, short_name<M>(), remedy_for<M>());
  }
}

template <class T>
consteval derivation derive() {
  derivation d;
  derive_member<T>(d, 0, short_name<T>());
  for (raw_slot const& s : d.slots)
    if (s.offset % 8 != 0) d.fail(short_name<T>(), short_name<T>(), remedy::aligned);
  return d;
}

/// Also 0 for types that cannot be described.
template <class T>
consteval std::size_t derived_slots() {
  derivation const d = derive<T>();
  return d.instead == remedy::none ? d.slots.size() : 0;
}

}  // namespace detail
}  // namespace tess
