// sv39: the form of page tables: three levels of 512 entries, pages of 4 KiB, addresses of 39 bits.
//
// Source    RISC-V Privileged ISA 20211203, 4.3.1 and 4.4.
#pragma once

#include <array>
#include <cstdint>

namespace tess::machine::sv39 {

inline constexpr unsigned page_shift = 12;
inline constexpr std::uint64_t page_bytes = std::uint64_t{1} << page_shift;
inline constexpr unsigned levels = 3;
inline constexpr unsigned index_bits = 9;
inline constexpr std::uint64_t entries = std::uint64_t{1} << index_bits;  ///< A table has, which is a page.
inline constexpr std::uint64_t entry_bytes = 8;
/// Programs have the lower half of the addresses, whose bit 38 is 0.
inline constexpr std::uint64_t user_end = std::uint64_t{1} << (page_shift + levels * index_bits - 1);

/// Bits of an entry. 8 and 9 are software's, 10 to 53 the number of a page of physical memory.
enum entry_bit : std::uint64_t {
  valid = 1U << 0U,
  read = 1U << 1U,
  write = 1U << 2U,
  execute = 1U << 3U,
  user = 1U << 4U,
  accessed = 1U << 6U,
  dirty = 1U << 7U,
};
inline constexpr unsigned number_shift = 10;
inline constexpr std::uint64_t number_mask = (std::uint64_t{1} << 44U) - 1;

/// The index into the table of a level: 2 is the root's.
constexpr std::uint64_t index_of(std::uint64_t page, unsigned level) noexcept {
  return page >> (index_bits * level) & (entries - 1);
}
/// The physical address that an entry leads to.
constexpr std::uint64_t target_of(std::uint64_t entry) noexcept {
  return (entry >> number_shift & number_mask) << page_shift;
}
constexpr std::uint64_t entry_to(std::uint64_t physical, std::uint64_t bits) noexcept {
  return physical >> page_shift << number_shift | bits;
}
constexpr bool is_valid(std::uint64_t entry) noexcept {
  return (entry & valid) != 0;
}
/// A valid entry maps a page; otherwise it leads to the table of the next level.
constexpr bool is_leaf(std::uint64_t entry) noexcept {
  return (entry & (read | write | execute)) != 0;
}

}  // namespace tess::machine::sv39
