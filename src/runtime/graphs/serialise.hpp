// serialise: a graph as a stream of objects with numbers for pointers: the state of practice, for `message_passing`.
//
//   Objects stand in the order in which they were first met, the root first; a pointer is 0 or the number of its
//   object, from 1. The receiver makes the objects one by one and looks their numbers up in a table.
//
// Shapes  per block: type u32, padding u32, of an array its bytes u64, then its words.
// Errors  tess::error for a stream that is malformed.
// Source  the message-passing `at` of X10 on OctoPOS, as measured in "NEMESYS" (MEMSYS 2019), section 4.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/graphs/walk.hpp"

namespace tess::detail {

/// Of a walk that was measured with numbers.
[[nodiscard]] std::vector<std::byte> serialise(graph_walk const& walk);
/// The same, to where there are serialised_most() bytes; how many it took.
[[nodiscard]] std::uint64_t serialised_most(graph_walk const& walk) noexcept;
[[nodiscard]] std::uint64_t serialise(graph_walk const& walk, std::byte* to);

struct deserialised {
  region* owner;
  std::byte* root;
};
[[nodiscard]] deserialised deserialise(std::span<std::byte const> stream, std::uint32_t blocks,
                                       type_record const& root_type);

}  // namespace tess::detail
