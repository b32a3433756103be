// mailbox: messages between places that map the same memory: a bounded ring of one-line slots for each place, many
// writers, the place's workers read.
//
//   A message of up to 48 bytes lies in its slot, so that it crosses in one cache line; a larger one in a chunk of the
//   sender's, which goes back to the sender when it was read. Credit is a free slot and a free chunk.
//
//   The writers may be other processes, which end anywhere. So a slot is claimed in its writer's name, on lines that
//   only writers touch: when that place has failed before it was done, the reader gives the slot up for ever, for a
//   writer that was only stopped may still write into it. A chunk carries its borrower and how often it was lent: what
//   went to a failed place is taken back, and what that place gives back later counts no more. There are no addresses
//   in it.
//
// Shapes   slot: word, size, sort, then 48 bytes: 64 bytes. Its word and its claim: laps begun 48 bits, writer 16.
//          A chunk's word: times lent 47 bits, borrower 16, is lent 1.
// Threads  any of the owner's process. One reads at a time: others find nothing meanwhile.
// Cost     a message: two compare-swaps on lines that stay with a lone writer, and one line that goes across; memory:
//          150 KiB for each place, of which pages count once they were used.
// Source   D. Vyukov, bounded MPMC queue (the laps).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tess/error.hpp"

namespace tess::detail {

/// Of one place, where all who write to it see it. All zeros: empty.
struct mailbox_memory {
  static constexpr std::uint32_t slots_count = 256;
  static constexpr std::size_t inline_bytes = 48;
  static constexpr std::uint32_t chunks_max = 32;   ///< as many stay in the caches
  static constexpr std::size_t chunk_bytes = 4096;  ///< message bytes that a chunk holds

  struct alignas(64) slot {
    std::atomic<std::uint64_t> word;
    std::uint32_t bytes;
    std::uint32_t sort;
    std::byte data[inline_bytes];
  };
  struct alignas(64) chunk {
    std::atomic<std::uint64_t> word;
    alignas(64) std::byte data[chunk_bytes];
  };

  alignas(64) std::atomic<std::uint64_t> tail;  ///< before it all slots are claimed
  std::atomic<std::uint64_t> seen;              ///< `read`, as a writer saw it last
  alignas(64) std::atomic<std::uint64_t> read;  ///< before it all slots were read
  alignas(64) std::atomic<std::uint32_t> open;  ///< the owner reads from all that it may reach
  std::atomic<std::uint32_t> sleepers;          ///< threads that read here
  std::atomic<std::uint32_t> called;            ///< one of them is being woken
  alignas(64) std::atomic<std::uint64_t> claims[slots_count];
  slot slots[slots_count];
  chunk chunks[chunks_max];  ///< of what the owner sends
};
static_assert(sizeof(mailbox_memory::slot) == 64);

class mailbox {
 public:
  /// By place; null: it cannot be reached so.
  using directory = std::vector<mailbox_memory*>;

  enum class sort : std::uint32_t { message, large_message, notification, malformed };

  struct received {
    place_id source = 0;
    sort what = sort::malformed;
    std::uint32_t bytes = 0;
    std::uint32_t chunk = 0;
    std::uint64_t lent = 0;            ///< the chunk's word
    std::byte const* large = nullptr;  ///< null: the bytes are in `small`
    alignas(16) std::byte small[mailbox_memory::inline_bytes];

    [[nodiscard]] std::span<std::byte const> view() const noexcept { return {large != nullptr ? large : small, bytes}; }
    /// Of a notification.
    [[nodiscard]] std::uint64_t address() const noexcept;
  };

  /// Enters `memory`, zeros, into `all`, which must outlive it. `chunk_memory`: bytes that its chunks may have, the
  /// credit for large messages; two are allowed in any case. `failed` by place, or null: writers do not fail.
  mailbox(directory& all, place_id owner, mailbox_memory& memory, std::uint64_t chunk_memory,
          std::atomic<bool> const* failed = nullptr);
  mailbox(mailbox const&) = delete;
  mailbox& operator=(mailbox const&) = delete;

  /// From now on others may write here.
  void open() noexcept { memory_.open.store(1, std::memory_order_release); }
  [[nodiscard]] bool reaches(place_id to) const noexcept {
    return all_[to] != nullptr && all_[to]->open.load(std::memory_order_acquire) != 0;
  }

  // To others, which reaches() must say are reached. False: no room; nothing was sent.
  [[nodiscard]] bool send(place_id to, std::span<std::byte const> bytes) noexcept;
  [[nodiscard]] bool notify(place_id to, std::uint64_t address) noexcept;
  /// What was just sent finds its readers asleep, and the caller is the one to wake them.
  [[nodiscard]] bool must_call(place_id to) const noexcept;
  /// A place failed: what lies with it is taken back, and what it began to write is waited for no more.
  void give_up(place_id failed) noexcept;

  /// Takes one out; false if there is none. done() gives back what a message lies in.
  [[nodiscard]] bool pop(received& r) noexcept;
  void done(received const& r) noexcept;
  [[nodiscard]] bool empty() const noexcept;
  /// Around a sleep: empty() is asked in between.
  void begin_sleep() noexcept;
  void end_sleep() noexcept;

 private:
  using slot = mailbox_memory::slot;

  bool push(mailbox_memory& to, sort what, std::span<std::byte const> bytes) noexcept;
  [[nodiscard]] bool claim(mailbox_memory& to, std::uint64_t& position) noexcept;
  [[nodiscard]] bool arrived(std::uint64_t position) const noexcept;
  bool skip(std::uint64_t position) noexcept;
  void read(slot const& s, received& r) const noexcept;

  directory const& all_;
  mailbox_memory& memory_;
  std::atomic<bool> const* failed_;
  place_id owner_;
  std::uint32_t chunks_;
  std::atomic<bool> some_failed_{false};
  alignas(64) std::atomic<std::uint64_t> head_{0};
  std::atomic<bool> reading_{false};
};

}  // namespace tess::detail
