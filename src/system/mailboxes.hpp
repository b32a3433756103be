// mailboxes: messages of up to 120 bytes between harts of any tiles, by port.
//
//   A message is cut into packets of four words and a header, which go through the tile's invoke unit in order. The
//   receiving kernel puts the whole message into the mailbox of its port and acknowledges it; a full mailbox refuses
//   it, and asks for it again when there is room. A send ends with the acknowledgement. Packets of the own tile take
//   the same way without the network.
//
// Threads   tasks of the kernel.
// Source    mailboxes of NodeOS and Nanvix (120 bytes); docs/machine/system.md.
#pragma once

#include <tess/machine/system_call.hpp>

#include "system/tasks.hpp"

namespace tess::system::mailboxes {

[[nodiscard]] std::int64_t open(std::uint64_t port);
[[nodiscard]] std::int64_t close(std::uint64_t port);
/// Waits until the message is in that tile's mailbox.
[[nodiscard]] std::int64_t send(std::uint64_t tile, std::uint64_t port, void const* from, std::uint64_t bytes);
/// Waits for a message.
[[nodiscard]] std::int64_t receive(std::uint64_t port, void* into, std::uint64_t bytes);
[[nodiscard]] std::int64_t try_receive(std::uint64_t port, void* into, std::uint64_t bytes);
[[nodiscard]] bool has_message(std::uint64_t port);

/// Takes packets out of the tile's task queue. False: some may be left.
bool take_packets();
/// Sends a packet of five words; waits while too many are on their way. Interrupts must be off.
void put_packet(std::uint64_t tile, std::uint64_t const* words);
/// Sends packets that wait, as far as the unit takes them. False: some still wait, and it must be called again.
bool pump();

}  // namespace tess::system::mailboxes
