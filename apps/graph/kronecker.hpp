// kronecker: draws the vertex pair of a Kronecker graph's edge four levels at a time.
//
//   One level picks a quadrant of the adjacency matrix, that is one bit of the source and one of the target, with
//   probabilities .57 .19 .19 .05. Four levels pick one of 256 pairs of 4-bit digits; an alias table draws such a pair
//   with one look-up from 32 random bits. The levels are independent, so a surplus level may be dropped.
//
// Shapes    alias_table: [256] words; bits 31..8 threshold in 2^-24, bits 7..0 alias. Outcome: bits 7..4 source
//           digit, 3..0 target digit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace graph {

inline constexpr std::uint32_t levels_per_digit = 4;

namespace detail {

// Percent of the quadrants, Graph500's A, B, C, D.
inline constexpr std::array<std::uint64_t, 4> quadrant_percent{57, 19, 19, 5};
inline constexpr std::uint64_t weight_sum = 100'000'000;  // of all outcomes: 100 to the fourth
inline constexpr std::size_t outcomes = 256;

constexpr std::uint64_t outcome_weight(std::size_t outcome) {
  std::uint64_t weight = 1;
  for (std::size_t level = 0; level < levels_per_digit; ++level) {
    std::size_t const source_bit = outcome >> (4 + level) & 1;
    std::size_t const target_bit = outcome >> level & 1;
    weight *= quadrant_percent[2 * source_bit + target_bit];
  }
  return weight;
}

// Vose's construction in integers: slot i keeps weight[i] of its `weight_sum` units (all scaled by 256) for itself
// and gives the rest to one alias.
constexpr std::array<std::uint32_t, outcomes> make_alias_table() {
  std::array<std::uint64_t, outcomes> weight{};
  std::array<std::size_t, outcomes> small{}, large{};
  std::size_t smalls = 0, larges = 0;
  for (std::size_t i = 0; i < outcomes; ++i) {
    weight[i] = outcome_weight(i) * outcomes;
    (weight[i] < weight_sum ? small[smalls++] : large[larges++]) = i;
  }
  std::array<std::uint32_t, outcomes> table{};
  while (smalls != 0 && larges != 0) {
    std::size_t const poor = small[--smalls];
    std::size_t const rich = large[--larges];
    std::uint64_t const threshold = (weight[poor] << 24) / weight_sum;
    table[poor] = static_cast<std::uint32_t>(threshold << 8 | rich);
    weight[rich] -= weight_sum - weight[poor];
    (weight[rich] < weight_sum ? small[smalls++] : large[larges++]) = rich;
  }
  // What is left has exactly weight_sum: it is its own alias, whatever the threshold.
  for (std::size_t i = 0; i < larges; ++i) table[large[i]] = static_cast<std::uint32_t>(large[i]);
  return table;
}

inline constexpr std::array<std::uint32_t, outcomes> alias_table = make_alias_table();

}  // namespace detail

// A pair of digits, source in bits 7..4 and target in bits 3..0, from 32 random bits.
[[nodiscard]] constexpr std::uint32_t draw_digits(std::uint32_t random) noexcept {
  std::uint32_t const slot = random & 0xff;
  std::uint32_t const entry = detail::alias_table[slot];
  return random >> 8 < entry >> 8 ? slot : entry & 0xff;
}

}  // namespace graph
