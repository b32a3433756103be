// cache_array: the lines of a set-associative cache: tags, state, type, metadata and data; no behaviour.
//
//   Controllers give the bytes their meaning: states, which types may be replaced, metadata. The array finds lines,
//   keeps the order of use within each set, and stores data. State 0 is invalid for every controller: find() skips such
//   lines.
//   find() returns lines of a type other than 0 only on request.
//
// Shapes    lines: [sets][ways]; a line_index counts in this order.
// Units     bytes. Size, ways and line are powers of two, or ways any number up to 16.
// Cost      find() compares the tags of one set. No allocation after construction; untouched lines take no memory of
//           the host.
// Threads   one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "machine/cache/zeroed_array.hpp"
#include "machine/kernel/assert.hpp"

namespace tess::machine {

using line_index = std::uint32_t;
inline constexpr line_index no_line = ~line_index{0};

struct cache_shape {
  std::size_t way_bytes = 16384;  ///< Sets × line.
  std::uint32_t ways = 2;
  std::uint32_t line_bytes = 32;

  [[nodiscard]] std::uint32_t sets() const noexcept { return static_cast<std::uint32_t>(way_bytes / line_bytes); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return way_bytes * ways; }
};

class cache_array {
 public:
  static constexpr std::uint32_t ways_max = 16;
  static constexpr std::uint8_t invalid = 0;
  static constexpr std::uint8_t cacheable = 0;  ///< The type of ordinary lines.

  explicit cache_array(cache_shape const& shape);

  [[nodiscard]] cache_shape const& shape() const noexcept { return shape_; }
  [[nodiscard]] line_index lines() const noexcept { return lines_; }
  [[nodiscard]] std::uint64_t line_address(std::uint64_t address) const noexcept { return address & ~line_mask_; }

  /// The valid line of this type that holds the address, or no_line. Does not count as a use.
  [[nodiscard]] line_index find(std::uint64_t address, std::uint8_t type = cacheable) const noexcept {
    std::uint64_t const tag = address >> line_bits_;
    line_index const first = (static_cast<line_index>(tag) & set_mask_) * shape_.ways;
    for (line_index line = first; line < first + shape_.ways; ++line) {
      name const& at = names_[line];
      if (at.tag == tag && at.state != invalid && at.type == type) return line;
    }
    return no_line;
  }
  /// The valid line of any type that holds the address and satisfies `is`, or no_line.
  template <class Is>
  [[nodiscard]] line_index find_if(std::uint64_t address, Is&& is) const noexcept {
    line_index const first = first_of(address);
    for (line_index line = first; line < first + shape_.ways; ++line) {
      if (names_[line].tag == address >> line_bits_ && names_[line].state != invalid && is(line)) return line;
    }
    return no_line;
  }
  /// Way 0 of the address's set; the others follow.
  [[nodiscard]] line_index first_of(std::uint64_t address) const noexcept { return set_of(address) * shape_.ways; }
  /// Marks it as most recently used.
  void use(line_index line) noexcept;

  /// The line of the address's set to be replaced: an invalid one, otherwise the least recently used one that satisfies
  /// `may`; no_line if there is none.
  template <class May>
  [[nodiscard]] line_index victim(std::uint64_t address, May&& may) const {
    line_index const first = set_of(address) * shape_.ways;
    for (line_index line = first; line < first + shape_.ways; ++line) {
      if (names_[line].state == invalid && may(line)) return line;
    }
    std::uint64_t order = order_[set_of(address)];
    for (std::uint32_t i = 0; i < shape_.ways; ++i, order >>= 4U) {
      line_index const line = first + static_cast<line_index>(order & 0xfU);
      if (may(line)) return line;
    }
    return no_line;
  }

  /// Calls `each` for all valid lines: set after set, in each the least recently used one first.
  template <class Each>
  void by_use(Each&& each) const {
    for (std::size_t set = 0; set < order_.size(); ++set) {
      std::uint64_t order = order_[set];
      for (std::uint32_t i = 0; i < shape_.ways; ++i, order >>= 4U) {
        line_index const line = static_cast<line_index>(set) * shape_.ways + static_cast<line_index>(order & 0xfU);
        if (names_[line].state != invalid) each(line);
      }
    }
  }

  /// Tags, states and order of an array of the same shape, whose lines are all cacheable; metadata is 0, data stays.
  /// That one has those of here then: nothing is copied.
  void take_tags(cache_array& from) noexcept;

  /// Gives a line a new address; the caller sets state, type and metadata.
  void assign(line_index line, std::uint64_t address) noexcept {
    MACHINE_DEBUG_ASSERT(set_of(address) == line / shape_.ways);
    names_[line].tag = address >> line_bits_;
  }

  [[nodiscard]] std::uint64_t address_of(line_index line) const noexcept { return names_[line].tag << line_bits_; }
  [[nodiscard]] std::uint8_t& state(line_index line) noexcept { return names_[line].state; }
  [[nodiscard]] std::uint8_t state(line_index line) const noexcept { return names_[line].state; }
  [[nodiscard]] std::uint8_t& type(line_index line) noexcept { return names_[line].type; }
  [[nodiscard]] std::uint8_t type(line_index line) const noexcept { return names_[line].type; }
  [[nodiscard]] std::uint64_t& metadata(line_index line) noexcept { return metadata_[line]; }
  [[nodiscard]] std::span<std::byte> data(line_index line) noexcept {
    return {data_.data() + std::size_t{line} * shape_.line_bytes, shape_.line_bytes};
  }
  /// The line that has this byte.
  [[nodiscard]] line_index line_of(std::byte const* at) const noexcept {
    return static_cast<line_index>(static_cast<std::uint64_t>(at - data_.data()) >> line_bits_);
  }
  /// The address's byte in this line.
  [[nodiscard]] std::byte* at(line_index line, std::uint64_t address) noexcept {
    return data_.data() + std::size_t{line} * shape_.line_bytes + (address & line_mask_);
  }

 private:
  static constexpr unsigned no_bits = 64;
  /// The fields that a search compares, together: a set of four is one line of the host's caches.
  struct name {
    std::uint64_t tag = 0;
    std::uint8_t state = invalid;
    std::uint8_t type = cacheable;
  };

  [[nodiscard]] std::uint32_t set_of(std::uint64_t address) const noexcept {
    return static_cast<std::uint32_t>(address >> line_bits_) & set_mask_;
  }

  cache_shape shape_;
  unsigned line_bits_;
  unsigned way_bits_;  ///< The ways are 1 << way_bits_; `no_bits` if they are no power of two.
  std::uint64_t line_mask_;
  std::uint32_t set_mask_;
  line_index lines_;
  zeroed_array<name> names_;
  zeroed_array<std::uint64_t> metadata_;
  zeroed_array<std::byte> data_;
  std::vector<std::uint64_t> order_;  ///< Per set: its ways, four bits each, the least recently used one lowest.
};

}  // namespace tess::machine
