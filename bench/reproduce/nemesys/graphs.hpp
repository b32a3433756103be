// graphs: objects in the runtime's layout, built in this tile's partition, and the records of their types.
//
// Shapes    plain<n>: n words of data. node: {value, next}. branch: {value, left, right, elements, scratch}, where
//           `elements` is an array descriptor and `scratch` is not copied.
#pragma once

#include <array>
#include <cstring>

#include "units.hpp"

namespace bench::nemesys {

namespace layout = registers::objects;

/// Words of the data objects of Fig. 8a.
inline constexpr std::array<std::uint32_t, 14> plain_words{1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128, 256};

enum type : std::uint32_t { node = plain_words.size(), branch, data_array, pointer_array, types_count };

struct record {
  std::uint32_t bytes;
  std::uint32_t slots = 0;
  void const* slot_list = nullptr;
  std::uint8_t kind = layout::object;
  std::uint8_t alignment = 8;
  std::uint16_t transients = 0;
  void const* transient_list = nullptr;
  void const* checks = nullptr;
  std::uint64_t const* mask = nullptr;
  void const* base = nullptr;
  char const* name = "";
  std::uint64_t name_bytes = 0;
};
static_assert(sizeof(record) == layout::record_bytes);

inline constexpr std::uint64_t no_pointers[plain_words.back() / layout::mask_words] = {};
inline constexpr std::uint64_t node_mask[] = {std::uint64_t{layout::pointer} << 2U};
inline constexpr std::uint64_t branch_mask[] = {
    std::uint64_t{layout::pointer} << 2U | std::uint64_t{layout::pointer} << 4U |
    std::uint64_t{layout::descriptor} << 6U | std::uint64_t{layout::pointer} << 8U |
    std::uint64_t{layout::transient} << 12U};

/// Allocates objects one after the other.
class heap {
 public:
  heap(std::uint64_t begin, std::uint64_t end) : begin_(begin), next_(begin), end_(end) {}

  std::uint64_t make(std::uint32_t of, std::uint64_t words, bool is_array = false) {
    std::uint64_t const front = is_array ? layout::array_front_bytes : layout::front_bytes;
    take(front + words * 8);
    std::uint64_t const object = next_ - words * 8;
    for (std::uint64_t at = object - front; at < next_; at += 8) word(at) = 0;
    word(object - layout::header) = of | (object - begin_) / 8 << 32U;
    if (is_array) word(object - layout::array_bytes) = words * 8;
    return object;
  }
  /// Aligned to whole lines.
  std::uint64_t chunk(std::uint64_t bytes) {
    next_ = (next_ + 63) / 64 * 64;
    std::uint64_t const begun = next_;
    take((bytes + 63) / 64 * 64);
    return begun;
  }
  void clear() { next_ = begin_; }
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t used() const { return next_ - begin_; }

 private:
  void take(std::uint64_t bytes) {
    next_ += bytes;
    if (next_ <= end_) return;
    std::fputs("nemesys-copies: the tile's partition is too small\n", stderr);
    std::exit(1);
  }
  std::uint64_t begin_;
  std::uint64_t next_;
  std::uint64_t end_;
};

inline std::uint64_t make_plain(heap& in, std::size_t which) {
  std::uint64_t const object = in.make(static_cast<std::uint32_t>(which), plain_words[which]);
  for (std::uint64_t i = 0; i < plain_words[which]; ++i) word(object + i * 8) = i + 1;
  return object;
}
inline std::uint64_t make_array(heap& in, std::uint64_t words) {
  std::uint64_t const array = in.make(data_array, words, true);
  for (std::uint64_t i = 0; i < words; ++i) word(array + i * 8) = i * 3;
  return array;
}
inline std::uint64_t make_list(heap& in, std::uint64_t length) {
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    std::uint64_t const one = in.make(node, 2);
    word(one) = i;
    word(one + 8) = first;
    first = one;
  }
  return first;
}
inline std::uint64_t make_objects(heap& in, std::uint64_t count) {
  std::uint64_t const array = in.make(pointer_array, count, true);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t const one = in.make(0, plain_words[0]);
    word(one) = i;
    word(array + i * 8) = one;
  }
  return array;
}

}  // namespace bench::nemesys
