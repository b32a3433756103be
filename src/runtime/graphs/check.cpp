// check: one pass finds the blocks, a second one checks and relocates their pointers.
#include "runtime/graphs/check.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/graphs/types.hpp"
#include "tess/detail/objects/region.hpp"

namespace tess::detail {

namespace {

[[noreturn]] void malformed(char const* what, std::uint64_t offset) {
  throw error("an arrived graph", std::string(what) + " at byte " + std::to_string(offset),
              "an image written by the same binary");
}

class image {
 public:
  image(std::byte* start, std::uint64_t end, std::uint64_t from) : start_(start), end_(end), from_(from) {
    std::uint64_t const words = end / 8 / 64 + 1;
    if (words > std::size(few_)) many_.resize(words);
    starts_ = many_.empty() ? few_ : many_.data();
  }

  /// Offset of the object in the block that begins at `offset`, where padding may come first.
  std::uint64_t next_block(std::uint64_t offset) {
    // A header holds its own offset, which distinguishes it from padding and from an array's size in front of it.
    for (unsigned skip = 0; skip <= 2; ++skip) {
      std::uint64_t const object = offset + front_bytes + std::uint64_t{skip} * 8;
      if (object > end_) break;
      object_header const h = header_of(start_ + object);
      if (std::uint64_t{h.units} * 8 != object) continue;
      type_record const* const type = find_type(h.type);
      if (type == nullptr) malformed("an unknown type", object);
      bool const array = type->kind != block_kind::object;
      std::uint64_t const bytes = array ? (skip == 0 ? 0 : array_bytes_of(start_ + object)) : type->bytes;
      if (bytes > end_ - object) malformed("a block that is longer than its image", object);
      if (array && bytes % std::max<std::uint32_t>(type->bytes, 1) != 0)
        malformed("an array whose size is no multiple of its elements'", object);
      block_place const at = place_block(offset, bytes, type->alignment, array);
      if (at.object != object || at.end > end_) continue;
      starts_[object / 8 / 64] |= std::uint64_t{1} << object / 8 % 64;
      block_end_ = at.end;
      return object;
    }
    malformed("no block", offset);
  }
  [[nodiscard]] std::uint64_t block_end() const noexcept { return block_end_; }

  void relocate(std::uint64_t object) const {
    type_record const& type = type_of(header_of(start_ + object).type);
    if (type.kind == block_kind::object) {
      for (std::uint32_t t = 0; t < type.transients_count; ++t)
        std::memset(start_ + object + type.transients[t].offset, 0, type.transients[t].bytes);
      for (std::uint32_t s = 0; s < type.slots_count; ++s)
        relocate_word(start_ + object + type.slots[s], type.checks[s], object);
    } else if (type.kind == block_kind::pointer_array) {
      std::uint64_t const bytes = array_bytes_of(start_ + object);
      for (std::uint64_t w = 0; w < bytes; w += 8) relocate_word(start_ + object + w, *type.checks, object);
    }
  }

 private:
  void relocate_word(std::byte* word, slot_check const& check, std::uint64_t object) const {
    std::uint64_t pointer;
    std::memcpy(&pointer, word, sizeof pointer);
    std::uint64_t descriptor[3] = {0, 0, 0};
    if (check.descriptor) std::memcpy(descriptor, word, sizeof descriptor);
    if (pointer == 0) {
      if (descriptor[1] != 0 || descriptor[2] != 0) malformed("an array with a count but no elements", object);
      return;
    }
    std::uint64_t const target = pointer - from_;
    if (target >= end_ || target % 8 != 0 || (starts_[target / 8 / 64] >> target / 8 % 64 & 1) == 0)
      malformed("a pointer that leads to no block of its graph", object);
    type_record const& type = type_of(header_of(start_ + target).type);
    if (!accepts(check.accepted, type)) malformed("a pointer to an object of the wrong type", object);
    if (check.descriptor) {
      std::uint64_t bytes;
      if (__builtin_mul_overflow(descriptor[1], std::uint64_t{type.bytes}, &bytes) || bytes != descriptor[2] ||
          bytes > array_bytes_of(start_ + target))
        malformed("an array whose count is not that of its elements", object);
    }
    auto const final = reinterpret_cast<std::uint64_t>(start_ + target);
    std::memcpy(word, &final, sizeof final);
  }

  std::byte* start_;
  std::uint64_t end_;
  std::uint64_t from_;
  std::uint64_t block_end_ = 0;
  std::uint64_t few_[16] = {};  ///< one bit for each word, for images up to 8 KiB
  std::vector<std::uint64_t> many_;
  std::uint64_t* starts_;
};

}  // namespace

void check_image(std::byte* chunk_start, std::uint64_t end, std::uint32_t blocks, std::uint64_t pointers_from,
                 type_record const& root_type) {
  image i(chunk_start, end, pointers_from);
  std::uint64_t at = region::blocks_begin();
  std::uint64_t found = 0;
  std::uint64_t root = 0;
  for (; at < end; at = i.block_end()) {
    std::uint64_t const object = i.next_block(at);
    if (++found == 1) root = object;
  }
  if (found != blocks) malformed("another number of blocks than announced", at);
  if (found == 0 || &type_of(header_of(chunk_start + root).type) != &root_type) malformed("another root", root);
  at = region::blocks_begin();
  while (at < end) {
    std::uint64_t const object = i.next_block(at);
    i.relocate(object);
    at = i.block_end();
  }
}

}  // namespace tess::detail
