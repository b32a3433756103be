// message_passing: how the copier `message_passing` sends a stream between tiles.
//
//   Four steps: the sender serialises into its tile-local memory and says how long that is; the receiver answers with a
//   buffer; the sender pushes by DMA, and then sends the call; the receiver deserialises and frees the buffer.
//
// Source  the message-passing `at` of X10 on OctoPOS, the state of practice in "NEMESYS" (MEMSYS 2019).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tess/place.hpp"
#include "tess/task.hpp"

namespace tess::detail {

/// A stream in a message buffer of this place goes to one of another place, and its own buffer is free then. Gives the
/// address there; 0: the receiver has no room.
[[nodiscard]] task<std::uint64_t> push_stream(std::byte* stream, std::uint64_t bytes, place_id target);

/// Frees a message buffer of this place.
void end_stream(std::byte const* stream) noexcept;

}  // namespace tess::detail
