// access: how the runtime reaches members of public classes that programs do not call: each class befriends it.
#pragma once

#include <cstdint>

#include "tess/detail/platform.hpp"

namespace tess::detail {

class completion;
class wait_list;

/// For events (event.hpp) the operations and what they do; for counters their cell.
struct access {
  template <class Event>
  [[gnu::always_inline]] static constexpr wait_list& line(Event& event) noexcept {
    return event.line_;
  }
  /// Performs the operation if it is possible now; under the lock of the event's line, whose state it gets.
  template <class Event, class Value>
  [[gnu::always_inline]] static bool attempt(Event& event, typename Event::operation op, std::uint64_t& state,
                                             Value& value) noexcept {
    return event.attempt(op, state, value);
  }
  /// The operation has an input, an output; it puts an item into a hardware line.
  template <class Event>
  static constexpr bool takes(typename Event::operation op) noexcept {
    return Event::takes(op);
  }
  template <class Event>
  static constexpr bool gives(typename Event::operation op) noexcept {
    return Event::gives(op);
  }
  template <class Event>
  static constexpr bool puts(typename Event::operation op) noexcept {
    return Event::puts(op);
  }
  /// What a task waits for, in reports.
  template <class Event>
  static constexpr char const* name(typename Event::operation op) noexcept {
    return Event::name(op);
  }
  /// The number of items that a hardware line of the event holds at most; 0: it uses none.
  template <class Event>
  static constexpr std::uint32_t line_items() noexcept {
    if constexpr (requires { Event::line_items; })
      return Event::line_items;
    else
      return 0;
  }
  /// A put waits when the line is full.
  template <class Event>
  static constexpr bool line_bounded() noexcept {
    return Event::line_bounded;
  }
  /// The event may move to a line in this state.
  template <class Event>
  static bool may_move(Event const& event, std::uint64_t state) noexcept {
    return event.may_move(state);
  }

  template <class Counter>
  [[gnu::always_inline]] static completion& cell(Counter& counter) noexcept {
    return counter.cell_;
  }

  /// The types to which a one_of may point.
  template <class OneOf>
  static constexpr auto accepted() noexcept {
    return OneOf::accepted();
  }
};

}  // namespace tess::detail
