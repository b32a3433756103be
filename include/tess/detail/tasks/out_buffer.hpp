// out_buffer: messages of one worker for one place, until they are sent together; the part that at_async inlines.
//
// Shapes   data: records, each an 8-byte header and a payload padded to 8 bytes. Consecutive at_async messages of one
//          finish form a run, which starts with a record of index `run_index`
//          (src/runtime/messages/aggregator.hpp). Items of one stream form one record, whose header is written when the
//          record ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tess/detail/handler.hpp"
#include "tess/detail/platform.hpp"
#include "tess/detail/tasks/races.hpp"
#include "tess/error.hpp"

namespace tess::detail {

class finish_scope;

struct record_header {
  handler_id handler;
  std::uint32_t bytes;  ///< of the payload, without padding
  [[no_unique_address]] races::message_clock clock{};
};
inline constexpr std::uint16_t run_index = 0xffff;

[[nodiscard]] constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + 7) & ~std::size_t{7};
}

/// Without the clock.
[[nodiscard]] inline std::uint64_t header_bits(std::byte const* record) noexcept {
  std::uint64_t bits;
  std::memcpy(&bits, record, sizeof bits);
  return bits;
}
/// How far ahead the lines of a batch are requested, which another core has just written.
inline constexpr std::size_t records_prefetch_bytes = 384;
/// Visits the payload of the record at `first` and of those with equal headers that follow it before `end`; returns
/// where the next record begins.
template <class Visit>
[[gnu::always_inline]] inline std::byte const* visit_equal(std::byte const* first, std::byte const* end,
                                                           std::size_t payload_bytes, Visit visit) {
  auto const stride = static_cast<std::ptrdiff_t>(sizeof(record_header) + padded(payload_bytes));
  std::uint64_t const bits = header_bits(first);
  do {
    prefetch_read(first + records_prefetch_bytes);
    visit(first + sizeof(record_header));
    first += stride;
  } while (end - first >= stride && header_bits(first) == bits);
  return first;
}

/// Why a buffer was sent.
enum class flush_reason : std::uint8_t {
  size,      ///< the next message did not fit
  idle,      ///< the worker had nothing else to do
  deadline,  ///< it had waited long enough
  memory,    ///< its memory was needed for another destination
  urgent     ///< an `at` to the same place included it
};
inline constexpr std::size_t flush_reasons = 5;

/// The aggregator allocates it together with memory of its own for the data, which may be the fabric's instead.
struct alignas(64) out_buffer {
  static constexpr std::size_t capacity_min = 256;
  static constexpr std::size_t capacity_max = 4096;
  static constexpr std::size_t prefetch_bytes = 512;

  // The members that the inlined paths use fill one cache line.
  std::byte* next = nullptr;             ///< where the next record, or item, goes
  std::byte* end = nullptr;              ///< it is sent before it would go beyond
  finish_scope* scope = nullptr;         ///< of the open run; null: none is open, or a batch of items is
  std::uint64_t run_messages = 0;        ///< in the open run
  std::uint64_t stream = 0;              ///< the stream whose batch of items is open (stream.hpp); 0: none
  finish_scope* stream_scope = nullptr;  ///< of the run that the batch belongs to
  std::uint32_t stream_begin = 0;        ///< where the batch's record starts
  std::uint32_t run_begin = 0;           ///< where the run's record starts
  std::uint32_t capacity = 0;            ///< bytes of its own memory, a power of two
  std::uint16_t generation = 0;          ///< when it was opened, in half deadlines
  place_id target = 0;

  std::byte* data = nullptr;  ///< its first byte
  flush_reason reason = flush_reason::size;
  [[no_unique_address]] races::message_clock clock{};  ///< of the open batch of items

  [[nodiscard]] std::byte* own_memory() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  /// The data is in memory that the fabric lent.
  [[nodiscard]] bool is_lent() noexcept { return data != own_memory(); }
  /// Empty, with its data in `memory`.
  void begin(std::byte* memory) noexcept { next = data = memory; }
  [[nodiscard]] std::size_t used() const noexcept { return static_cast<std::size_t>(next - data); }
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept {
    // Signed: the padding behind a batch of items may reach beyond the end.
    return end - next >= static_cast<std::ptrdiff_t>(bytes);
  }
  [[nodiscard]] bool fits(std::size_t payload_bytes) const noexcept {
    return has_room(sizeof(record_header) + padded(payload_bytes));
  }

  /// Appends a record's header and returns where the caller writes the payload.
  [[gnu::always_inline]] std::byte* append(handler_id handler, std::size_t payload_bytes) noexcept {
    std::byte* const record = next;
    std::size_t const record_bytes = sizeof(record_header) + padded(payload_bytes);
    record_header const h{handler, static_cast<std::uint32_t>(payload_bytes), races::send()};
    // As one word, the header takes one store, and a loop of messages makes it once.
    std::uint64_t bits;
    std::memcpy(&bits, &h, sizeof bits);
    std::memcpy(record, &bits, sizeof bits);
    if constexpr (sizeof h > sizeof bits) std::memcpy(record + sizeof bits, &h.clock, sizeof h - sizeof bits);
    // Lines that their last reader still has are asked for ahead: waiting stores would soon fill the store buffer.
    prefetch_write(record + prefetch_bytes);
    // The padding is sent too: it must be defined.
    if (payload_bytes % 8 != 0) std::memset(record + record_bytes - 8, 0, 8);
    next += record_bytes;
    return record + sizeof h;
  }
};

}  // namespace tess::detail
