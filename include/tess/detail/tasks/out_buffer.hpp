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

/// Why a buffer was sent.
enum class flush_reason : std::uint8_t {
  size,      ///< the next message did not fit
  idle,      ///< the worker had nothing else to do
  deadline,  ///< it had waited long enough
  memory,    ///< its memory was needed for another destination
  urgent     ///< an `at` to the same place included it
};
inline constexpr std::size_t flush_reasons = 5;

/// Its data follows it in memory; the aggregator allocates both together.
struct alignas(64) out_buffer {
  static constexpr std::size_t capacity_min = 256;
  static constexpr std::size_t capacity_max = 4096;

  // The members that the inlined paths use fill one cache line.
  std::size_t used = 0;
  std::size_t limit = 0;                 ///< it is sent before it holds more bytes
  finish_scope* scope = nullptr;         ///< of the open run; null: none is open, or a batch of items is
  std::uint64_t run_messages = 0;        ///< in the open run
  std::uint64_t stream = 0;              ///< the stream whose batch of items is open (stream.hpp); 0: none
  finish_scope* stream_scope = nullptr;  ///< of the run that the batch belongs to
  std::uint32_t stream_begin = 0;        ///< where the batch's record starts
  std::uint32_t run_begin = 0;           ///< where the run's record starts
  std::uint32_t capacity = 0;            ///< bytes behind it, a power of two
  std::uint16_t generation = 0;          ///< when it was opened, in half deadlines
  place_id target = 0;

  flush_reason reason = flush_reason::size;
  [[no_unique_address]] races::message_clock clock{};  ///< of the open batch of items

  [[nodiscard]] std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }

  [[nodiscard]] bool fits(std::size_t payload_bytes) const noexcept {
    return used + sizeof(record_header) + padded(payload_bytes) <= limit;
  }

  /// Appends a record's header and returns where the caller writes the payload.
  [[gnu::always_inline]] std::byte* append(handler_id handler, std::size_t payload_bytes) noexcept {
    std::byte* const record = data() + used;
    std::size_t const record_bytes = sizeof(record_header) + padded(payload_bytes);
    record_header const h{handler, static_cast<std::uint32_t>(payload_bytes), races::send()};
    std::memcpy(record, &h, sizeof h);
    // The padding is sent too: it must be defined.
    if (payload_bytes % 8 != 0) std::memset(record + record_bytes - 8, 0, 8);
    used += record_bytes;
    return record + sizeof h;
  }
};

}  // namespace tess::detail
