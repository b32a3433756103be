// wire: the bytes of values that own memory (strings, containers, tuples of them), so that they travel in messages.
//
//   Containers are recognised by what they offer (`insert` at `end()`), so that no header of a container is included
//   here. Aggregates of up to 64 members travel member by member.
//
// Shapes   plain data: its bytes. A container: the number of elements as 8 bytes, then the elements; if they are plain
//          and contiguous, in one piece. optional, unique_ptr: one byte, then the value if there is one. variant: one
//          byte, the index, then the value. Everything else: its parts in order.
// Errors   wire_reader throws tess::error for bytes that are too few, too many or impossible, before it allocates for
//          them. A type that cannot travel is a compile error that names it. Chains of more than 1,000 unique_ptrs
//          are refused at both ends, because each link is a recursion.
// Cost     one pass for the size and one for the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "tess/detail/objects/described.hpp"
#include "tess/detail/range_concepts.hpp"
#include "tess/unchecked.hpp"

namespace tess::detail {

template <class T>
consteval bool leads_to_objects();

/// Travels as its bytes.
template <class T>
inline constexpr bool is_plain = std::is_trivially_copyable_v<T>;

/// A std container: can be made empty, and gets elements at its end (ordered and unordered ones take it as a hint).
template <class T>
concept wire_container = std::is_default_constructible_v<T> && requires(T c, T const& k, typename T::value_type v) {
  { k.size() } -> std::convertible_to<std::size_t>;
  k.begin();
  c.insert(c.end(), std::move(v));
};
template <class T>
concept wire_tuple = requires { std::tuple_size<T>::value; };
/// Its elements are copied in one piece.
template <class T>
concept wire_block =
    wire_container<T> && std::ranges::contiguous_range<T> && is_plain<typename T::value_type> &&
    std::is_default_constructible_v<typename T::value_type> && requires(T c) { c.resize(std::size_t{}); };

template <class T>
inline constexpr bool is_owner = false;
template <class T>
inline constexpr bool is_owner<std::unique_ptr<T>> = !std::is_array_v<T>;

inline constexpr unsigned wire_depth_max = 1000;

[[noreturn]] void throw_malformed_value(char const* what);
[[noreturn]] void throw_too_deep();

/// Counts a link of a chain of unique_ptrs.
class wire_link {
 public:
  explicit wire_link(unsigned& depth) : depth_(depth) {
    if (++depth_ > wire_depth_max) {
      --depth_;
      throw_too_deep();
    }
  }
  ~wire_link() { --depth_; }
  wire_link(wire_link const&) = delete;
  wire_link& operator=(wire_link const&) = delete;

 private:
  unsigned& depth_;
};

/// Measures or, given memory, writes.
struct wire_writer {
  std::byte* to = nullptr;  ///< null: measures
  std::size_t bytes = 0;
  unsigned depth = 0;

  void add(void const* from, std::size_t count) {
    if (to != nullptr && count != 0) std::memcpy(to + bytes, from, count);
    bytes += count;
  }
};

class wire_reader {
 public:
  wire_reader(std::byte const* bytes, std::size_t count) noexcept : at_(bytes), left_(count) {}

  [[nodiscard]] std::byte const* take(std::size_t count) {
    if (count > left_) throw_malformed_value("truncated");
    left_ -= count;
    return std::exchange(at_, at_ + count);
  }
  /// A number of elements, each of which takes at least `element_bytes`.
  [[nodiscard]] std::size_t take_count(std::size_t element_bytes) {
    std::uint64_t count = 0;
    std::memcpy(&count, take(sizeof count), sizeof count);
    if (count > left_ / element_bytes) throw_malformed_value("more elements than bytes");
    return static_cast<std::size_t>(count);
  }
  [[nodiscard]] std::size_t take_index(std::size_t below) {
    auto const index = static_cast<std::size_t>(*take(1));
    if (index >= below) throw_malformed_value("an index out of range");
    return index;
  }
  void expect_end() const {
    if (left_ != 0) throw_malformed_value("longer than its value");
  }

  unsigned depth = 0;

 private:
  std::byte const* at_;
  std::size_t left_;
};

/// Fails to compile for a type that cannot travel by value.
template <class T>
consteval void check_wire() {
  static_assert(!std::is_pointer_v<T>,
                "tess: a pointer does not travel inside a value: use a global_ptr, a unique_ptr, or objects alone");
  static_assert(!leads_to_objects<T>(),
                "tess: pointers to objects do not travel beside std containers: pass objects alone");
  static_assert(!smart_pointer<T> || is_owner<T>,
                "tess: of smart pointers only unique_ptr<T> travels: sharing and deleters would be lost");
  static_assert(!std::is_polymorphic_v<T>, "tess: a class with virtual functions does not travel by value");
  static_assert(
      is_plain<T> || wire_container<T> || wire_tuple<T> || is_owner<T> || is_a<T, std::optional> ||
          is_a<T, std::variant> || std::is_aggregate_v<T>,
      "tess: this type cannot travel: make it trivially copyable, or an aggregate of members that can travel");
  if constexpr (is_plain<T> && !std::is_pointer_v<T>)
    static_assert(address_free<T>,
                  "tess: a value that travels must not hold an address: pass values, a global_ptr or objects");
  // Its parts may be copied as bytes without being visited.
  if constexpr (is_plain<T> && wire_tuple<T>)
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (check_wire<std::remove_cv_t<std::tuple_element_t<I, T>>>(), ...);
    }(std::make_index_sequence<is_std_array<T> && std::tuple_size_v<T> != 0 ? 1 : std::tuple_size_v<T>>());
}

template <class T>
void wire_put(wire_writer& w, T const& value) {
  check_wire<T>();
  if constexpr (is_plain<T>) {
    w.add(&value, sizeof(T));
  } else if constexpr (wire_container<T>) {
    std::uint64_t const count = value.size();
    w.add(&count, sizeof count);
    if constexpr (wire_block<T>) {
      check_wire<typename T::value_type>();
      w.add(std::ranges::data(value), value.size() * sizeof(typename T::value_type));
    } else {
      for (auto const& element : value) wire_put<typename T::value_type>(w, element);
    }
  } else if constexpr (is_a<T, std::optional> || is_owner<T>) {
    bool const has = static_cast<bool>(value);
    w.add(&has, 1);
    if (has) {
      wire_link const link(w.depth);
      wire_put<std::remove_cvref_t<decltype(*value)>>(w, *value);
    }
  } else if constexpr (is_a<T, std::variant>) {
    static_assert(std::variant_size_v<T> <= 256);
    auto const index = static_cast<std::uint8_t>(value.index());
    w.add(&index, 1);
    std::visit([&]<class U>(U const& one) { wire_put(w, one); }, value);
  } else if constexpr (is_std_array<T>) {
    for (auto const& element : value) wire_put(w, element);
  } else if constexpr (wire_tuple<T>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (wire_put<std::remove_cv_t<std::tuple_element_t<I, T>>>(w, std::get<I>(value)), ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (std::is_aggregate_v<T>) {
    with_members<aggregate<T>::count>(
        value, [&]<class... M>(M const&... member) { (wire_put<std::remove_cv_t<M>>(w, member), ...); });
  }
}

template <class T>
T wire_take(wire_reader& r);

template <class T, std::size_t I = 0>
T take_alternative(wire_reader& r, std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<T>)
    if (index != I) return take_alternative<T, I + 1>(r, index);
  return T(std::in_place_index<I>, wire_take<std::variant_alternative_t<I, T>>(r));
}

template <class T>
T wire_take(wire_reader& r) {
  check_wire<T>();
  if constexpr (is_plain<T>) {
    // The type may have no default constructor.
    alignas(T) std::byte copy[sizeof(T)];
    std::memcpy(copy, r.take(sizeof(T)), sizeof(T));
    return *reinterpret_cast<T const*>(copy);
  } else if constexpr (wire_block<T>) {
    using element = typename T::value_type;
    std::size_t const count = r.take_count(sizeof(element));
    T made;
    made.resize(count);
    if (count != 0) std::memcpy(std::ranges::data(made), r.take(count * sizeof(element)), count * sizeof(element));
    return made;
  } else if constexpr (wire_container<T>) {
    // Every element takes a byte or more.
    std::size_t const count = r.take_count(1);
    T made;
    for (std::size_t i = 0; i < count; ++i) made.insert(made.end(), wire_take<typename T::value_type>(r));
    return made;
  } else if constexpr (is_a<T, std::optional> || is_owner<T>) {
    if (r.take_index(2) == 0) return T();
    wire_link const link(r.depth);
    using value = std::remove_cvref_t<decltype(*std::declval<T const&>())>;
    if constexpr (is_owner<T>)
      return T(new value(wire_take<value>(r)));
    else
      return T(std::in_place, wire_take<value>(r));
  } else if constexpr (is_a<T, std::variant>) {
    return take_alternative<T>(r, r.take_index(std::variant_size_v<T>));
  } else if constexpr (is_std_array<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return T{(static_cast<void>(I), wire_take<typename T::value_type>(r))...};
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (wire_tuple<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return T{wire_take<std::remove_cv_t<std::tuple_element_t<I, T>>>(r)...};
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (std::is_aggregate_v<T>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return T{wire_take<std::remove_cv_t<typename aggregate<T>::types::template at<I>>>(r)...};
    }(std::make_index_sequence<aggregate<T>::count>());
  }
}

/// Arguments in order.
template <class... Parts>
void put_pack(wire_writer& w, pack<Parts...> const& p) {
  if constexpr (sizeof...(Parts) != 0) wire_put(w, p.head);
  if constexpr (sizeof...(Parts) > 1) put_pack(w, p.tail);
}
template <class Pack>
struct pack_reader;
template <>
struct pack_reader<pack<>> {
  static pack<> take(wire_reader&) { return {}; }
};
template <class Last>
struct pack_reader<pack<Last>> {
  static pack<Last> take(wire_reader& r) { return {wire_take<Last>(r)}; }
};
template <class Head, class... Tail>
  requires(sizeof...(Tail) != 0)
struct pack_reader<pack<Head, Tail...>> {
  // In braces the parts are read in order.
  static pack<Head, Tail...> take(wire_reader& r) { return {wire_take<Head>(r), pack_reader<pack<Tail...>>::take(r)}; }
};

}  // namespace tess::detail
