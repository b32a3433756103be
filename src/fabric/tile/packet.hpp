// packet: what tiles tell each other: five words of remote task invocation.
//
//   Word 0 has the kind in its low byte; system_place.hpp has those that the system kernel knows. Addresses are those
//   that the sender's program uses; a completion's is given back as it came.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tess/error.hpp"
#include "tess/machine/registers.hpp"
#include "tess/machine/system_place.hpp"

namespace tess::detail {

enum class tile_packet_kind : std::uint8_t {
  graph_call = static_cast<std::uint8_t>(machine::system::packet::graph_call),    ///< T1
  graph_stage = static_cast<std::uint8_t>(machine::system::packet::graph_stage),  ///< T3
  graph_ready = static_cast<std::uint8_t>(machine::system::packet::graph_ready),  ///< T2
  small = static_cast<std::uint8_t>(
      machine::system::packet::program_first),  ///< a message: size in the second byte, then its bytes
  chunk,        ///< a message in a chunk of the sender. bytes; address; number of the chunk
  large,        ///< a message in memory of the sender. bytes; address; handle for `fetched`
  fetched,      ///< answers `large`. -; handle
  put,          ///< bytes for this place. bytes; address at the sender; target offset; counter to notify; completion
  done,         ///< to the issuer. -; completion
  notify,       ///< acknowledges a counter. -; counter's offset
  notify_zero,  ///< a remote word operation has made a counter zero. -; counter's offset
  publish,      ///< a get requests a write-back. bytes; offset; handle of the get
  ready,        ///< answers `publish`: the bytes may be fetched. -; handle of the get
  copy,         ///< a put from here to another place. bytes; source offset; target address; -; completion
  word,         ///< a word operation (tile_words). operation and offset; operands; result; completion
  word_done     ///< answers `word`. -; result; its address; completion
};

struct tile_packet {
  static constexpr std::size_t small_bytes = machine::registers::invoke::words * 8 - 2;

  std::array<std::uint64_t, machine::registers::invoke::words> words{};

  tile_packet() = default;
  tile_packet(tile_packet_kind kind, std::uint64_t bytes, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0,
              std::uint64_t d = 0)
      : words{static_cast<std::uint64_t>(kind) | bytes << 8U, a, b, c, d} {}
  /// A small message.
  explicit tile_packet(std::span<std::byte const> message) {
    auto* const raw = reinterpret_cast<std::byte*>(words.data());  // NOLINT: bytes
    raw[0] = std::byte{static_cast<std::uint8_t>(tile_packet_kind::small)};
    raw[1] = static_cast<std::byte>(message.size());
    if (!message.empty()) std::memcpy(raw + 2, message.data(), message.size());
  }

  [[nodiscard]] tile_packet_kind kind() const noexcept { return static_cast<tile_packet_kind>(words[0] & 0xffU); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return words[0] >> 8U; }
  [[nodiscard]] std::span<std::byte const> message() const noexcept {
    auto const* const raw = reinterpret_cast<std::byte const*>(words.data());  // NOLINT: bytes
    return {raw + 2, static_cast<std::size_t>(raw[1])};
  }
};

}  // namespace tess::detail
