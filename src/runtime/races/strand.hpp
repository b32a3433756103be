// strand: a task with all that it awaits, or one call of a handler; its vector clock, and the edges between strands.
//
//   Strands are many and short, clocks have few entries: a strand that accesses memory takes the entry (slot) that was
//   taken longest ago, and goes on counting where its last owner stopped. So a strand counts as ordered after all that
//   earlier owners of its slot did there: such pairs are missed, and no pair is invented. Objects of synchronisation
//   share the buckets of a table in the same way: who acquires one, acquires what was released to all objects of its
//   bucket.
//
// Threads  a strand: the one that runs it. Slots and buckets: any.
// Source   C. Flanagan, S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI 2009): epochs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "tess/detail/tasks/worker.hpp"

namespace tess::detail::races {

inline constexpr unsigned slots = 64;

/// A table of objects that are zeros at first. Parts that nobody uses need no memory; used at random, large pages are
/// faster.
template <class T, std::size_t Count>
struct alignas(1 << 21) zeros {
  std::byte memory[sizeof(T) * Count];

  [[nodiscard]] T* begin() noexcept { return reinterpret_cast<T*>(memory); }
  [[nodiscard]] T* end() noexcept { return begin() + Count; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return begin()[i]; }
};

/// For each slot how far it has counted, as far as a strand has seen.
struct alignas(64) vector_clock {
  std::array<std::uint32_t, slots> of{};

  void join(vector_clock const& other) noexcept {
    for (unsigned i = 0; i < slots; ++i) of[i] = of[i] < other.of[i] ? other.of[i] : of[i];
  }
};

enum class strand_kind : std::uint8_t { unknown, task, handler };

/// What a report says about a strand.
struct origin {
  strand_kind kind = strand_kind::unknown;
  place_id place = 0;
  void const* made_at = nullptr;  ///< the code that spawned the task or sent the message
  void const* code = nullptr;     ///< of the task
  bool operator==(origin const&) const = default;
};
/// A number below 65536 that stands for it; 0: there were too many.
[[nodiscard]] std::uint16_t number_of(origin const& o) noexcept;
[[nodiscard]] origin origin_of(std::uint16_t number) noexcept;

struct strand {
  vector_clock known;
  std::uint64_t id = 0;
  std::uint32_t slot = slots;  ///< whose owner it may be; slots: none
  std::uint16_t origin = 0;
  bool counted = false;  ///< it has accessed memory since its slot last counted on
  strand* next_free = nullptr;
};

struct sent_clock {
  vector_clock known;
  void const* sent_at = nullptr;
  sent_clock* next_free = nullptr;
};

/// An access: when, and in which slot. In 40 bits.
struct epoch {
  std::uint32_t clock;
  std::uint32_t slot;
};
/// The present epoch of a strand, which takes a slot if it has none.
[[nodiscard]] epoch epoch_of(strand& s) noexcept;

/// The strand that this thread runs; null: code of the runtime.
[[nodiscard]] inline strand* current() noexcept {
  worker const* const w = self;
  return w == nullptr || w->current == nullptr ? nullptr : w->current->strand.is;
}

/// Before a job begins: what earlier jobs released is forgotten.
void forget_releases() noexcept;

}  // namespace tess::detail::races
