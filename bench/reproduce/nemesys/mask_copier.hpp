// mask_copier: a software copier that looks up each word's two bits in the mask of its type, as the NMA does.
//
//   The runtime's Pegasus copies all words of an object in one loop, and then visits the slots that the type's record
//   lists. This copier shows what a look-up for each word costs. Everything else is as light as it can be: copies lie
//   one after the other, and the map from originals to copies has room for all of them from the start.
//
// Cost      one object after the other, each word once.
// Source    NEMESYS (MEMSYS 2019), sections 2 and 4: masks, and the traversal by the NMA.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "graphs.hpp"
#include "tess/tess.hpp"

namespace bench::nemesys {

class mask_copier {
 public:
  /// `blocks`: objects and arrays, at most. `bytes`: of all of them, with what is in front of each.
  mask_copier(std::size_t blocks, std::uint64_t bytes)
      : map_(std::bit_ceil(2 * blocks)),
        shift_(64 - static_cast<unsigned>(std::countr_zero(map_.size()))),
        memory_(bytes / 8 + blocks) {
    pending_.reserve(blocks);
  }

  /// Returns the address of the root's copy. Once for each mask_copier.
  std::uint64_t copy(std::uint64_t root) {
    std::uint64_t const made = copy_of(root);
    for (std::size_t i = 0; i < pending_.size(); ++i) copy_words(pending_[i].first, pending_[i].second);
    return made;
  }

 private:
  using words = std::uint64_t*;
  static words at(std::uint64_t address) { return reinterpret_cast<words>(address); }
  static tess::detail::type_record const& type_of(std::uint64_t block) {
    return tess::detail::__start_tess_types[static_cast<std::uint32_t>(*at(block - layout::header))];
  }
  static std::uint64_t words_of(std::uint64_t block, tess::detail::type_record const& type) {
    bool const object = type.kind == tess::detail::block_kind::object;
    return ((object ? type.bytes : *at(block - layout::array_bytes)) + 7) / 8;
  }

  /// The copy of a block, which may still be without its words.
  std::uint64_t copy_of(std::uint64_t block) {
    if (block == 0) return 0;
    std::size_t slot = block * 0x9e37'79b9'7f4a'7c15 >> shift_;
    for (; map_[slot].first != 0; slot = (slot + 1) & (map_.size() - 1))
      if (map_[slot].first == block) return map_[slot].second;
    tess::detail::type_record const& type = type_of(block);
    bool const array = type.kind != tess::detail::block_kind::object;
    next_ += (array ? layout::array_front_bytes : layout::front_bytes) / 8;
    std::uint64_t const copy = reinterpret_cast<std::uint64_t>(&memory_[next_]);
    next_ += words_of(block, type);
    *at(copy - layout::header) = *at(block - layout::header);
    if (array) *at(copy - layout::array_bytes) = *at(block - layout::array_bytes);
    map_[slot] = {block, copy};
    pending_.emplace_back(block, copy);
    return copy;
  }

  void copy_words(std::uint64_t block, std::uint64_t copy) {
    tess::detail::type_record const& type = type_of(block);
    std::uint64_t const count = words_of(block, type);
    words const from = at(block);
    words const to = at(copy);
    if (type.kind == tess::detail::block_kind::data_array) {
      for (std::uint64_t i = 0; i < count; ++i) to[i] = from[i];
      return;
    }
    if (type.kind == tess::detail::block_kind::pointer_array) {
      for (std::uint64_t i = 0; i < count; ++i) to[i] = copy_of(from[i]);
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      switch (type.mask[i / layout::mask_words] >> i % layout::mask_words * 2 & 3U) {
        case layout::data:
          to[i] = from[i];
          break;
        case layout::pointer:
          to[i] = copy_of(from[i]);
          break;
        case layout::transient:
          to[i] = 0;
          break;
        default:  // an array's descriptor: its address, and two words of data
          to[i] = copy_of(from[i]);
          to[i + 1] = from[i + 1];
          to[i + 2] = from[i + 2];
          i += layout::descriptor_words - 1;
      }
    }
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> map_;  ///< original and copy; open addressing
  unsigned shift_;
  std::vector<std::uint64_t> memory_;
  std::size_t next_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pending_;  ///< original and copy, in the order of discovery
};

}  // namespace bench::nemesys
