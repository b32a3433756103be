// array: the array type of objects: a descriptor {data, count, bytes} in the object, the elements in a separate block.
//
//   Elements are data, or pointers to objects. Copying a descriptor shares the elements; a copied graph preserves that
//   sharing. `string` is an array of characters.
//
// Units    count in elements; the hardware uses bytes. Errors  out_of_memory; checked builds throw for an index out of
//          range. Cost  creating an array clears its memory.
// Source   array descriptors of "NEMESYS" (MEMSYS 2019), section 2, with its extension `bytes`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "tess/detail/objects/type_entry.hpp"

namespace tess {

namespace detail {
[[noreturn]] void throw_index(std::uint64_t index, std::uint64_t count);
[[nodiscard]] std::size_t checked_bytes(std::uint64_t count, std::size_t size);

/// Allocates the cleared block of an array; null if the array is empty.
template <class T>
T* make_elements(region& where, std::size_t count) {
  if (count == 0) return nullptr;
  type_record const& type = array_entry<T>::record;
  return static_cast<T*>(where.allocate(type, type_index_of(type), checked_bytes(count, sizeof(T))));
}
}  // namespace detail

template <class T>
class array {
 public:
  using value_type = T;

  constexpr array() noexcept = default;
  /// An array of zeros, in the region of the running call.
  explicit array(std::size_t count) : array(detail::current_region(), count) {}
  array(detail::region& where, std::size_t count)
      : data_(detail::make_elements<T>(where, count)), count_(count), bytes_(count * sizeof(T)) {}
  array(std::initializer_list<T> values) : array(values.begin(), values.size()) {}
  explicit array(std::span<T const> values) : array(values.data(), values.size()) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] constexpr T* begin() const noexcept { return data_; }
  [[nodiscard]] constexpr T* end() const noexcept { return data_ + count_; }
  T& operator[](std::size_t i) const {
#if defined(TESS_CHECKED) && TESS_CHECKED
    if (i >= count_) detail::throw_index(i, count_);
#endif
    return data_[i];
  }
  constexpr operator std::span<T>() const noexcept { return {data_, count_}; }

 private:
  array(T const* values, std::size_t count) : array(count) {
    for (std::size_t i = 0; i < count; ++i) data_[i] = values[i];
  }

  T* data_ = nullptr;
  std::uint64_t count_ = 0;
  std::uint64_t bytes_ = 0;
};

/// A text whose bytes are in a separate block.
class string {
 public:
  using value_type = char;

  constexpr string() noexcept = default;
  string(std::string_view text) : characters_(std::span(text.data(), text.size())) {}
  string(char const* text) : string(std::string_view(text)) {}
  string(std::string const& text) : string(std::string_view(text)) {}
  string(detail::region& where, std::string_view text) : characters_(where, text.size()) {
    text.copy(characters_.data(), text.size());
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return characters_.size(); }
  [[nodiscard]] constexpr bool empty() const noexcept { return characters_.empty(); }
  /// The bytes of the text.
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {characters_.data(), characters_.size()}; }
  constexpr operator std::string_view() const noexcept { return view(); }
  friend constexpr bool operator==(string a, std::string_view b) noexcept { return a.view() == b; }

 private:
  array<char> characters_;
};

static_assert(sizeof(array<int>) == 24 && std::is_trivially_copyable_v<array<int>> && sizeof(string) == 24);

}  // namespace tess
