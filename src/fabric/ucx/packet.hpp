// packet: the header of every active message between two ucx places.
//
//   Only the bytes that a kind needs are sent: `packet_bytes`. The data of a block or a message is that of the active
//   message. A cookie identifies an operation of the sender: an index of its table, and how often that entry was used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tess/error.hpp"

namespace tess::detail {

enum class packet_kind : std::uint8_t {
  message,       ///< cost: credit that it took; 0: a reply
  credit,        ///< cost: credit given back
  words,         ///< word_entry after word_entry follow
  word_results,  ///< word_answer after word_answer
  put,           ///< cookie (0: no answer), address, other: the completion to notify (0: none)
  get,           ///< cookie, address, length
  get_result,    ///< cookie
  copy,          ///< cookie, address: source, other: target, length
  done,          ///< cookie, address: 0, or the failed place + 1
  heartbeat,     ///< the sender is alive
  failed,        ///< address: a place that failed; other: the root of the tree along which it is told
};
inline constexpr std::uint8_t packet_kinds = 11;

struct packet {
  packet_kind kind;
  place_id source;
  std::uint32_t cost;
  std::uint64_t cookie;
  std::uint64_t address;
  std::uint64_t other;
  std::uint64_t length;
};

/// A word operation; its cookie comes back with the answer.
struct word_entry {
  std::uint64_t cookie;
  std::uint64_t address;
  std::uint64_t operands[2];
  std::uint8_t op, type, bytes, alignment;
  std::uint32_t unused;  ///< 0
};
struct word_answer {
  std::uint64_t cookie;
  std::uint64_t result[2];  ///< the old value
};
/// In one packet: 5 KiB, which UCX sends without rendezvous over shared memory and over TCP.
inline constexpr std::size_t words_max = 128;

/// The data of `words` or `word_results` may have this size.
constexpr bool is_batch(packet_kind kind, std::size_t bytes) noexcept {
  std::size_t const each = kind == packet_kind::words ? sizeof(word_entry) : sizeof(word_answer);
  return bytes % each == 0 && bytes / each <= words_max;
}

/// The operation exists, and the address may be its operand.
[[nodiscard]] bool is_word(word_entry const& e) noexcept;

[[nodiscard]] inline packet make_packet(packet_kind kind, place_id source) noexcept {
  packet p;
  std::memset(&p, 0, sizeof p);
  p.kind = kind;
  p.source = source;
  return p;
}

constexpr std::size_t packet_bytes(packet_kind kind) noexcept {
  switch (kind) {
    case packet_kind::message:
    case packet_kind::credit:
    case packet_kind::heartbeat:
    case packet_kind::words:
    case packet_kind::word_results:
      return offsetof(packet, cookie);
    case packet_kind::get_result:
      return offsetof(packet, address);
    case packet_kind::done:
      return offsetof(packet, other);
    case packet_kind::failed:
    case packet_kind::put:
      return offsetof(packet, length);
    case packet_kind::get:
    case packet_kind::copy:
      return sizeof(packet);
  }
  return sizeof(packet);
}

/// Reads a header; fields that its kind does not have become 0. Null, or what is wrong with it. Addresses are not
/// checked.
[[nodiscard]] char const* read_packet(std::span<std::byte const> header, place_id places, packet& p) noexcept;

}  // namespace tess::detail
