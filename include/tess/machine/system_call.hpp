// system_call: calls of a program's hart to the system kernel, which runs on the system's hart of the same tile.
//
//   A call is a block of eight words in the tile's memory. The hart stores its address in its `call` register, which
//   interrupts the system's hart, and sleeps on the block's last word until the kernel has written it. A block may be
//   submitted and waited for later; until then it must stay where it is.
//
// Units     bytes; addresses of the local window.
// Threads   a block belongs to its hart.
// Errors    `result` is negative: system::error.
// Source    docs/machine/system.md
#pragma once

#include <array>
#include <cstdint>
#include <tess/machine/registers.hpp>

namespace tess::machine::system {

/// Calls, with their operands.
enum class call_number : std::uint64_t {
  none,
  mailbox_open,     ///< {port}: messages for this port are kept from now on.
  mailbox_close,    ///< {port}
  mailbox_send,     ///< {tile, port, address, bytes}: returns when the message is in that tile's mailbox.
  mailbox_receive,  ///< {port, address, bytes}: waits for a message; result: tile << 16 | bytes of the message.
  mailbox_try,      ///< The same, without waiting; error::none_there.
  await,            ///< {port, mask}: waits for a message, or until a window of the mask is closed; result: awaited.
  window_open,      ///< {number, address, bytes, tile, sends}: a receive window, unless it is open.
  window_close,     ///< {number}
  transfer,         ///< {from, bytes, to}: into a window of another cluster; waits until all is there.
  manage,           ///< {address, bytes}: memory that `allocate` gives out from now on.
  allocate,         ///< {bytes}; result: address.
  release,          ///< {address}
  sleep,            ///< {ns}
  serve,            ///< {address of a place_block, shapes}: messages and calls with graphs (system_place.hpp).
};

/// Negative results of calls.
enum class error : std::int64_t {
  none_there = -1,  ///< No message.
  no_mailbox = -2,  ///< No such port, or it is open already.
  no_memory = -3,
  refused = -4,  ///< By the unit: an invalid window, or a transfer without a window for it.
  in_use = -6,   ///< The window is open.
  invalid = -5,  ///< No such call, or an impossible operand.
};

/// Bytes of a message, as of NodeOS.
inline constexpr std::uint64_t message_bytes_max = 120;
inline constexpr std::uint64_t ports = 16;
/// In the result of `await`: a message is there; below it, bit n: window n is closed.
inline constexpr std::uint64_t awaited_message = std::uint64_t{1} << 62U;

/// A call, and its result once `state` is 1.
struct alignas(64) call {
  std::uint64_t number = 0;
  std::array<std::uint64_t, 5> operands{};
  std::int64_t result = 0;
  std::uint64_t state = 0;
};
static_assert(sizeof(call) == 64);

}  // namespace tess::machine::system
