// derived: slots, checks and mask of a type as static arrays; the compile error for a member that cannot travel.
#pragma once

#include "tess/detail/objects/described.hpp"

namespace tess::detail {

/// A part of a text, short enough for the compiler to print it whole. It has no spare room, because the compiler would
/// then print numbers.
inline constexpr std::size_t piece_characters = 24;
template <std::size_t Size>
struct text_piece {
  char text[Size + 1];
};
template <bool Fails, auto... Member>
struct member {
  static constexpr bool can_travel = !Fails;
};

template <class T>
struct fault_report {
  static constexpr std::size_t characters = derive<T>().fault.characters.size();
  static constexpr std::size_t pieces = (characters + piece_characters - 1) / piece_characters;
  static constexpr remedy instead = derive<T>().instead;
  static constexpr bool none = instead == remedy::none;

  template <std::size_t I>
  static consteval auto piece() {
    constexpr std::size_t begin = I * piece_characters;
    constexpr std::size_t size = characters - begin < piece_characters ? characters - begin : piece_characters;
    text_piece<size> p{};
    derivation const d = derive<T>();
    for (std::size_t c = 0; c < size; ++c) p.text[c] = d.fault.characters[begin + c];
    return p;
  }
};

/// One assertion per remedy, so that the one that fails names it.
template <class T, class Pieces = std::make_index_sequence<fault_report<T>::pieces>>
struct fault_assertions;
template <class T, std::size_t... I>
struct fault_assertions<T, std::index_sequence<I...>> {
  static_assert(member < fault_report<T>::instead == remedy::callable,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: a function's address does not travel: use a number, "
                "or transient<>");
  static_assert(member < fault_report<T>::instead == remedy::one_of,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: use a pointer to an object, one_of<> for several "
                "types, or transient<>");
  static_assert(member < fault_report<T>::instead == remedy::array,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: it does not point to an object: tess::array<> for "
                "many, a struct made by tess::make for one, or transient<>");
  static_assert(member < fault_report<T>::instead == remedy::string,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: use tess::string");
  static_assert(member < fault_report<T>::instead == remedy::object,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: it does not point to an object: give that type "
                "plain members, or list them in TESS_OBJECT");
  static_assert(member < fault_report<T>::instead == remedy::vector,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: use tess::array<>");
  static_assert(member < fault_report<T>::instead == remedy::pointer,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: use a plain pointer to an object made by "
                "tess::make; its region owns it");
  static_assert(member < fault_report<T>::instead == remedy::optional,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: use a pointer, which may be null");
  static_assert(member < fault_report<T>::instead == remedy::variant,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: use tess::one_of<>, a pointer to an object of one "
                "of several types");
  static_assert(member < fault_report<T>::instead == remedy::reference,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: use a pointer");
  static_assert(
      member < fault_report<T>::instead == remedy::virtual_functions,
      fault_report<T>::template piece<I>()... > ::can_travel,
      "tess: this member cannot travel to another place: virtual functions do not travel: use one_of<> or object_cast");
  static_assert(member < fault_report<T>::instead == remedy::listing,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: list its members in TESS_OBJECT, say that it holds "
                "no pointer by tess::plain_data<>, or use transient<>");
  static_assert(member < fault_report<T>::instead == remedy::fewer,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: it has more than 64 members: group them in structs");
  static_assert(member < fault_report<T>::instead == remedy::layout,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: its members lie elsewhere than their types say: no "
                "alignas, packing, [[no_unique_address]] or bit-fields");
  static_assert(member < fault_report<T>::instead == remedy::complete,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: TESS_OBJECT must list every member, in order");
  static_assert(member < fault_report<T>::instead == remedy::elements,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: its elements hold pointers or transients: make each "
                "an object, and use tess::array of pointers to them");
  static_assert(member < fault_report<T>::instead == remedy::aligned,
                fault_report<T>::template piece<I>()... > ::can_travel,
                "tess: this member cannot travel to another place: a pointer must be aligned to 8 bytes");
  static constexpr bool none = fault_report<T>::none;
};

inline constexpr std::size_t word_bytes = 8;

/// Slots, checks and mask as static arrays.
template <class T>
struct derived {
  static constexpr bool can_travel = fault_assertions<T>::none;
  static constexpr std::size_t slots_count = derive<T>().slots.size();
  static constexpr std::size_t transients_count = derive<T>().transients.size();
  static constexpr std::size_t words = (sizeof(T) + word_bytes - 1) / word_bytes;
  static constexpr std::size_t mask_words = (words + 31) / 32;

  static consteval auto make_slots() {
    std::array<std::uint32_t, slots_count + 1> all{};
    for (std::size_t i = 0; auto const& s : derive<T>().slots) all[i++] = static_cast<std::uint32_t>(s.offset);
    return all;
  }
  static consteval auto make_checks() {
    std::array<slot_check, slots_count + 1> all{};
    for (std::size_t i = 0; auto const& s : derive<T>().slots) all[i++] = s.check;
    return all;
  }
  static consteval auto make_transients() {
    std::array<byte_range, transients_count + 1> all{};
    for (std::size_t i = 0; auto const& t : derive<T>().transients) all[i++] = t;
    return all;
  }
  static consteval auto make_mask() {
    std::array<std::uint64_t, mask_words> all{};
    auto const set = [&](std::size_t word, std::uint64_t bits) { all[word / 32] |= bits << word % 32 * 2; };
    derivation const d = derive<T>();
    for (raw_slot const& s : d.slots) {
      set(s.offset / word_bytes, s.check.descriptor ? 3 : 1);
      if (s.array_of_pointers) set(s.offset / word_bytes + 1, 1);
    }
    for (byte_range const& t : d.transients)
      for (std::size_t w = t.offset / word_bytes; w * word_bytes < std::size_t{t.offset} + t.bytes; ++w) set(w, 2);
    return all;
  }
  static constexpr auto slots = make_slots();
  static constinit inline auto const checks = make_checks();
  static constexpr auto transients = make_transients();
  static constexpr auto mask = make_mask();
};

}  // namespace tess::detail
