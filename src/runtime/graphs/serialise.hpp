// serialise: writes a graph as a stream of objects with numbers for pointers, and reads it back.
//
//   Objects stand in the order of the walk, the root first. A pointer is 0 or the number of its object, from 1. The
//   receiver makes the objects one by one and finds them in a table by their numbers.
//
// Shapes  per block: type u32, padding u32, for an array its size in bytes u64, then its words.
// Errors  tess::error for a malformed stream.
// Source  the message-passing `at` of X10 on OctoPOS, as measured in "NEMESYS" (MEMSYS 2019), section 4.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/graphs/walk.hpp"

namespace tess::detail {

/// The walk must have been measured with numbers.
[[nodiscard]] std::vector<std::byte> serialise(graph_walk const& walk);
/// The same, to where there are serialised_bytes_max() bytes; returns how many it wrote.
[[nodiscard]] std::uint64_t serialised_bytes_max(graph_walk const& walk) noexcept;
[[nodiscard]] std::uint64_t serialise(graph_walk const& walk, std::byte* to);

struct deserialised {
  region* owner;
  std::byte* root;
};
[[nodiscard]] deserialised deserialise(std::span<std::byte const> stream, std::uint32_t blocks,
                                       type_record const& root_type);

}  // namespace tess::detail
