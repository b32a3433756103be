// responses: the responses of lines with events to accesses: a table with a row for each word that responds.
//
//   A store to such a line modifies its tag at once (`modify`), then tests it (`condition`), and if the test holds
//   sends something (`job`). The line is copied for this and written back only if all of it succeeds; otherwise nothing
//   has happened. Words that show the tag are kept in the line, so that a load is an ordinary one.
//
// Errors    a store without a row, or not of a whole word or item: wrong, with the reason.
// Threads   one.
// Source    CNI (IJPP 2012), sections 3.2 and 3.3: event responses, counters, queues; registers.hpp, `cni`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "machine/cni/interface_job.hpp"

namespace tess::machine {

enum class access_outcome : std::uint8_t {
  done,
  full,   ///< A queue is full: try again, unless it was to be tried once.
  busy,   ///< The list of jobs is full: try again.
  wrong,  ///< Invalid; nothing has changed.
};
struct access_result {
  access_outcome outcome = access_outcome::done;
  registers::cni::fault why = registers::cni::fault::none;
};
[[nodiscard]] constexpr access_result wrong(registers::cni::fault why) noexcept {
  return {access_outcome::wrong, why};
}

struct event_line {
  static constexpr std::size_t words_max = 8;
  registers::cni::line_code code = registers::cni::cacheable;
  std::uint64_t tag = 0;
  std::array<std::uint64_t, words_max> words{};
};

/// Storage of queue items: plain scratchpad of the same tile.
class ring_memory {
 public:
  virtual ~ring_memory() = default;
  /// False: it is not such memory.
  [[nodiscard]] virtual bool put(std::uint64_t address, std::span<std::byte const> item) = 0;
  [[nodiscard]] virtual bool get(std::uint64_t address, std::span<std::byte> item) = 0;
  /// May something be sent to this address?
  [[nodiscard]] virtual bool may_send(std::uint64_t address, std::uint64_t bytes) const = 0;
};

/// A store to a line with events.
struct event_access {
  ring_memory& rings;
  std::uint64_t word = 0;                ///< Its index in the line.
  std::span<std::byte const> item;       ///< One word, or an item of a queue.
  std::optional<interface_job> matched;  ///< For a multiple-reader queue: the answer to send.

  [[nodiscard]] std::uint64_t value() const noexcept;
};

struct response {
  registers::cni::line_code code;
  std::uint8_t first;  ///< Words [first, last] of the line.
  std::uint8_t last;
  bool owner_only;  ///< Stores of other tiles are not allowed.
  bool items;       ///< It takes items of the line's shape instead of words.
  access_result (*modify)(event_line&, event_access&);
  bool (*condition)(event_line const&, event_access const&);
  interface_job (*job)(event_line&, event_access const&);
};

/// The row for a word of such a line; null: the word accepts no stores.
[[nodiscard]] response const* response_to(registers::cni::line_code code, std::uint64_t word) noexcept;
/// Bytes of a queue's item; 0: the shape is invalid.
[[nodiscard]] std::uint64_t item_bytes(event_line const& of) noexcept;
/// Updates the words that show the tag.
void show_tag(event_line& of) noexcept;

}  // namespace tess::machine
