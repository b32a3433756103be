// calendar: the event queue: a ring of time slots, and a heap for events beyond its horizon.
//
//   Events of equal time leave by rank, those of equal rank in the order of insertion, which makes the simulation
//   deterministic. Harts have ranks, as the moment of their insertion depends on how far they ran ahead. A slot is a
//   list sorted by time and rank. Its width should be a few of the shortest clock periods: then nearly all insertions
//   are at the end, and the ring is small enough to stay in the host's nearest cache. The horizon moves with every
//   slot; events that come within it leave the heap at once, before anything can be inserted behind it.
//
// Units     picoseconds; the width of a slot is a power of two.
// Cost      put and take are constant within the horizon (slots × width), logarithmic beyond. Only the heap's array is
//           allocated: an event is a member of the object that waits.
// Threads   one.
// Source    R. Brown, "Calendar queues", CACM 31(10), 1988; with a fixed width and a bitmap of used slots.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "machine/kernel/assert.hpp"
#include "machine/kernel/event.hpp"
#include "machine/kernel/time.hpp"

namespace tess::machine {

class calendar {
 public:
  static constexpr std::size_t slots = 512;  // 64 for each bit of used_words_

  /// The slot width is four times the largest power of two that does not exceed `shortest_period_ps`.
  explicit calendar(picoseconds shortest_period_ps)
      : shift_(static_cast<unsigned>(std::bit_width(shortest_period_ps)) + 1) {
    MACHINE_ASSERT(shortest_period_ps > 0);
  }

  [[nodiscard]] bool empty() const noexcept { return waiting_ == 0; }

  /// `added.due` must not be earlier than the event taken last.
  void put(event& added) {
    std::uint64_t const slot = added.due >> shift_;
    MACHINE_DEBUG_ASSERT(slot >= cursor_);
    ++waiting_;
    if (slot - cursor_ < slots) [[likely]] {
      put_in_slot(added, slot);
    } else {
      put_beyond(added);
    }
  }

  /// Removes and returns the earliest event; null if there is none.
  [[nodiscard]] event* take() {
    if (waiting_ == 0) return nullptr;
    slot_list& current = ring_[cursor_ % slots];
    if (current.first == nullptr) [[unlikely]] {
      advance(next_used_slot());
      return take_first(ring_[cursor_ % slots]);
    }
    return take_first(current);
  }

  /// Like take(), but returns null and leaves the event if it is later than `last`.
  [[nodiscard]] event* take_until(picoseconds last) {
    if (waiting_ == 0) return nullptr;
    if (ring_[cursor_ % slots].first == nullptr) {
      // The cursor must not pass `last`: events may be inserted there afterwards.
      std::uint64_t const slot = next_used_slot();
      if (due_of(slot) > last) return nullptr;
      advance(slot);
    }
    slot_list& current = ring_[cursor_ % slots];
    return current.first->due <= last ? take_first(current) : nullptr;
  }

  /// Takes out an event that waits.
  void take_back(event& waiting) noexcept;

  /// Does no event of rank 0 wait for this time, which is not later than any other? False: it may.
  [[nodiscard]] bool has_none_at(picoseconds now) const noexcept {
    std::uint64_t const slot = now >> shift_;
    event const* const first = ring_[slot % slots].first;
    return slot - cursor_ < slots && (first == nullptr || first->due != now || first->rank != 0);
  }
  /// Time of the earliest event; there must be one.
  [[nodiscard]] picoseconds next_due() const noexcept { return due_of(next_used_slot()); }

 private:
  using word_set = std::uint8_t;
  static_assert(slots == std::size_t{64} * std::numeric_limits<word_set>::digits);
  struct slot_list {
    event* first = nullptr;
    event* last = nullptr;
  };
  struct distant {
    picoseconds due;
    std::uint64_t order;
    event* waiting;
  };
  static bool later(distant const& a, distant const& b) noexcept {
    if (a.due != b.due) return a.due > b.due;
    return a.waiting->rank != b.waiting->rank ? a.waiting->rank > b.waiting->rank : a.order > b.order;
  }
  /// Does `added`, which is inserted after `other`, also happen after it?
  static bool follows(event const& added, event const& other) noexcept {
    return other.due < added.due || (other.due == added.due && other.rank <= added.rank);
  }

  void put_in_slot(event& added, std::uint64_t slot) noexcept {
    slot_list& list = ring_[slot % slots];
    if (list.first == nullptr) {
      added.next = nullptr;
      list.first = list.last = &added;
      used_[slot % slots / 64] |= std::uint64_t{1} << slot % 64;
      used_words_ = static_cast<word_set>(used_words_ | 1U << slot % slots / 64);
    } else if (follows(added, *list.last)) [[likely]] {
      added.next = nullptr;
      list.last->next = &added;
      list.last = &added;
    } else {
      put_sorted(list, added);
    }
  }

  event* take_first(slot_list& list) noexcept {
    event* const first = list.first;
    list.first = first->next;
    if (list.first == nullptr) {
      std::uint64_t& word = used_[cursor_ % slots / 64];
      word &= ~(std::uint64_t{1} << cursor_ % 64);
      if (word == 0) used_words_ = static_cast<word_set>(used_words_ & ~(1U << cursor_ % slots / 64));
    }
    --waiting_;
    return first;
  }

  static void put_sorted(slot_list& list, event& added) noexcept;
  void put_beyond(event& added);
  /// Moves to the next used slot; if there is none, to the first event beyond the horizon.
  void advance(std::uint64_t slot) noexcept {
    cursor_ = slot != none ? slot : beyond_.front().due >> shift_;
    if (!beyond_.empty()) [[unlikely]]
      take_over();
  }
  /// Moves events that are now within the horizon from the heap to the ring.
  void take_over() noexcept;
  [[nodiscard]] picoseconds due_of(std::uint64_t slot) const noexcept {
    // Every event in the ring is earlier than those beyond its horizon.
    return slot != none ? ring_[slot % slots].first->due : beyond_.front().due;
  }
  [[nodiscard]] std::uint64_t next_used_slot() const noexcept {
    // Usually one of the next few slots.
    std::uint64_t const near = used_[cursor_ % slots / 64] >> cursor_ % 64;
    return near != 0 ? cursor_ + static_cast<std::uint64_t>(std::countr_zero(near)) : far_used_slot();
  }
  /// Start behind the cursor's word, whose remaining bits are empty.
  [[nodiscard]] std::uint64_t far_used_slot() const noexcept {
    if (used_words_ == 0) return none;
    std::uint64_t const start = cursor_ % slots;
    std::uint64_t const own = start / 64;
    // The cursor's word comes last: its earlier slots are one turn of the ring later.
    auto const steps = static_cast<std::uint64_t>(std::countr_zero(std::rotr(used_words_, static_cast<int>(own) + 1)));
    std::uint64_t const word = (own + 1 + steps) % used_.size();
    std::uint64_t const found = word * 64 + static_cast<std::uint64_t>(std::countr_zero(used_[word]));
    return cursor_ + (found + slots - start) % slots;
  }

  static constexpr std::uint64_t none = ~std::uint64_t{0};

  unsigned shift_;
  std::uint64_t cursor_ = 0;  ///< Slot number (time >> shift) that is being emptied.
  std::size_t waiting_ = 0;
  std::array<std::uint64_t, slots / 64> used_{};
  word_set used_words_ = 0;  ///< Bits: words of used_ that are not zero.
  std::array<slot_list, slots> ring_{};
  std::vector<distant> beyond_;  ///< A heap, earliest first; `order` keeps equal times in order.
  std::uint64_t order_ = 0;
};

}  // namespace tess::machine
