// out_buffer: messages of one worker for one place, until they leave together; the part that at_async inlines.
//
// Shapes   data: records, each an 8-byte header and a payload padded to 8 bytes. Consecutive at_async messages of one
//          finish form a run, which starts with a record of index `run_index` (src/runtime/aggregator.hpp).
// Threads  the owning worker only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tess/detail/handler.hpp"
#include "tess/error.hpp"

namespace tess::detail {

class finish_scope;

struct record_header {
  handler_id handler;
  std::uint32_t bytes;  ///< of the payload, without padding
};
inline constexpr std::uint16_t run_index = 0xffff;

[[nodiscard]] constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + 7) & ~std::size_t{7};
}

struct out_buffer {
  static constexpr std::size_t capacity = 4096;

  std::size_t used = 0;
  finish_scope* scope = nullptr;   ///< of the open run; null: none is open
  std::uint64_t run_messages = 0;  ///< in the open run
  std::size_t run_begin = 0;       ///< where its record starts
  place_id target = 0;
  alignas(16) std::byte data[capacity];

  [[nodiscard]] bool fits(std::size_t payload_bytes) const noexcept {
    return used + sizeof(record_header) + padded(payload_bytes) <= capacity;
  }

  /// Appends a record's header; the caller writes the payload to what is returned.
  [[gnu::always_inline]] std::byte* append(handler_id handler, std::size_t payload_bytes) noexcept {
    std::byte* const record = data + used;
    std::size_t const record_bytes = sizeof(record_header) + padded(payload_bytes);
    record_header const h{handler, static_cast<std::uint32_t>(payload_bytes)};
    std::memcpy(record, &h, sizeof h);
    // The padding travels too.
    if (payload_bytes % 8 != 0) std::memset(record + record_bytes - 8, 0, 8);
    used += record_bytes;
    return record + sizeof h;
  }
};

}  // namespace tess::detail
