// collective: where the collectives keep their counters: at a fixed offset of every segment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tess/collective.hpp"
#include "tess/detail/completion.hpp"

namespace tess::detail {

/// Places up to this many exchange values directly.
inline constexpr unsigned direct_places = 8;
inline constexpr unsigned rounds_max = 16;  ///< 2^16 places

/// One per place. Everything is twice there: a place can be one episode ahead of another, never two.
struct collective_state {
  struct alignas(64) value_slot {
    std::byte bytes[collective_bytes];
  };
  struct episode {
    std::array<completion, rounds_max> barrier;
    completion direct;
    std::array<completion, rounds_max> up;
    completion down;
    std::array<value_slot, direct_places> direct_values;
    std::array<value_slot, rounds_max> up_values;
    struct alignas(64) {
      std::byte bytes[2 * collective_bytes];
    } down_values;
  };
  std::uint64_t barriers = 0;
  std::uint64_t sweeps = 0;
  std::array<episode, 2> episodes;
};

inline constexpr std::uint64_t collective_offset = 4096;
inline constexpr std::uint64_t symmetric_begin = 16384;
static_assert(collective_offset + sizeof(collective_state) <= symmetric_begin);

}  // namespace tess::detail
