// response_machine: lines with events respond to stores: the clocked model of rtl/cni/cni_responses, register for
// register.
//
//   `decide` finds what the stored word means, with what the tag says: a table of the kinds of lines. Then a counter is
//   tested, a request's address is checked, and an item goes to its ring or comes from there. A store that is wrong, or
//   finds a queue or the list of jobs full, leaves the line as it was.
//
// Cost      cycles from the store's edge to its result, if nothing stalls: 2 for a word that is only kept, 3 for a
//           counter, 5 for an item that waits, and 6 to 8 for what is matched, whose job is offered before.
// Threads   one.
#pragma once

#include "machine/cni/response_unit.hpp"

namespace tess::machine {

class response_machine final : public response_unit {
 public:
  explicit response_machine(parameters const& made) : made_(made) {}

  void step() override;

 private:
  enum class state : std::uint8_t {
    idle,
    decide,
    test,        ///< Is the counter zero?
    check,       ///< May the answer be sent?
    check_wait,  ///< And whether there is an item.
    place,       ///< Where the item is in its ring.
    ring,
    ring_wait,
    job,
    result,
  };
  /// What a store is.
  enum class row : std::uint8_t { none, command, add, set, keep, put, head, data, request };
  /// The words of a queue that say where its ring is, and of what.
  struct shape {
    bool sound = false;
    bool tagged = false;   ///< Its requests carry tags.
    bool limited = false;  ///< Fewer items than places,
    std::uint32_t limit = 0;
    std::uint32_t log2_items = 0;
    std::uint32_t log2_words = 0;

    [[nodiscard]] std::uint32_t bytes() const noexcept { return 8U << log2_words; }
    [[nodiscard]] std::uint32_t items() const noexcept { return 1U << log2_items; }
    [[nodiscard]] std::uint32_t items_max() const noexcept { return limited ? limit : items(); }
  };
  /// Entries of a queue: counts that wrap at the width of their fields.
  struct ends {
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    std::uint32_t waiting = 0;
    bool requests = false;  ///< Those that wait are requests.
  };

  void accept();
  void decide();
  void check_answered();
  void ring_answered();
  void refresh();
  void end(access_outcome outcome, registers::cni::fault why = registers::cni::fault::none);
  /// The list has room for what follows from the store; or the result is that it has none.
  [[nodiscard]] bool has_room(bool room);
  void go_to_ring(ring_action what);
  [[nodiscard]] row row_of() const noexcept;
  [[nodiscard]] shape shape_of(access const& store) const noexcept;
  [[nodiscard]] ends ends_now() const noexcept;
  [[nodiscard]] word tag_of(ends const& changed) const noexcept;
  [[nodiscard]] bool pairs() const noexcept;
  [[nodiscard]] bool is(registers::cni::line_code code) const noexcept { return code_ == code; }
  [[nodiscard]] std::uint32_t number() const noexcept { return offset_ / 8; }

  parameters made_;
  state state_ = state::idle;
  // The store and its line.
  registers::cni::line_code code_ = registers::cni::cacheable;
  by whom_ = by::other_tile;
  std::uint32_t offset_ = 0;
  std::uint32_t bytes_ = 0;
  word value_ = 0;  ///< What was stored; later a request's word.
  word tag_ = 0;    ///< What the tag becomes.
  word first_ = 0;  ///< A command's first word, a counter's reload value, a ring's buffer; later an item's address.
  word notify_ = 0;
  shape shape_;

  ring_action ring_ = ring_action::put;
  bool matched_ = false;  ///< The job is an answer with an item.
  access_outcome outcome_ = access_outcome::done;
  registers::cni::fault why_ = registers::cni::fault::none;
};

}  // namespace tess::machine
