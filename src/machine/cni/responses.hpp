// responses: what lines with events do when they are accessed: a table, one row for each word that answers.
//
//   A store to such a line reads and changes its tag at once (`modify`), looks at it (`condition`), and if that holds
//   sends something (`job`). A line is copied here for that and written back when all of it can be done: otherwise
//   nothing has happened. Words that show what the tag holds are kept in the line, so that a load is that of a word.
//
// Errors    a store that the table does not have, or that is not of a whole word or item: wrong, with the reason.
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
  full,   ///< A queue: to be tried again, unless it was to be tried once.
  busy,   ///< The list of jobs has no place: to be tried again.
  wrong,  ///< It cannot be; nothing has changed.
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

/// Where the items of queues are: plain scratchpad of the same tile.
class ring_memory {
 public:
  virtual ~ring_memory() = default;
  /// False: it is none.
  [[nodiscard]] virtual bool put(std::uint64_t address, std::span<std::byte const> item) = 0;
  [[nodiscard]] virtual bool get(std::uint64_t address, std::span<std::byte> item) = 0;
  /// Something may be sent to this address.
  [[nodiscard]] virtual bool may_send(std::uint64_t address, std::uint64_t bytes) const = 0;
};

/// A store to a line with events.
struct event_access {
  ring_memory& rings;
  std::uint64_t word = 0;                ///< Its number in the line.
  std::span<std::byte const> item;       ///< One word, or an item of a queue.
  std::optional<interface_job> matched;  ///< Of a multiple-reader queue: what it sends.

  [[nodiscard]] std::uint64_t value() const noexcept;
};

struct response {
  registers::cni::line_code code;
  std::uint8_t first;  ///< Words [first, last] of the line.
  std::uint8_t last;
  bool owner_only;  ///< No store of other tiles.
  bool items;       ///< It takes items of the line's shape, not words.
  access_result (*modify)(event_line&, event_access&);
  bool (*condition)(event_line const&, event_access const&);
  interface_job (*job)(event_line&, event_access const&);
};

/// The row for a word of such a line; null: no store is for it.
[[nodiscard]] response const* response_to(registers::cni::line_code code, std::uint64_t word) noexcept;
/// Bytes of an item of a queue; 0: its shape cannot be.
[[nodiscard]] std::uint64_t item_bytes(event_line const& of) noexcept;
/// Sets the words that show what the tag holds.
void show_tag(event_line& of) noexcept;

}  // namespace tess::machine
