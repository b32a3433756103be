// mailbox: messages between places that map the same memory: one bounded ring of one-line slots per place, with many
// writers, which the workers of the place read.
//
//   A message of up to 48 bytes is in its slot and moves in one cache line. A larger one is in a chunk of the sender's
//   memory, which the reader returns. Credit is a free slot and a free chunk. A sender may also borrow a chunk and
//   write the message there; its word then names the owner as borrower. The first free chunk is taken, so few are
//   in use where the reader keeps up.
//
//   The writers may be other processes, which can end at any instruction. A claim therefore names its writer, on lines
//   that only writers touch. If that place fails before it has written, the reader abandons the slot for good, because
//   a writer that was only stopped may still write into it. The word of a chunk has its borrower and how often it was
//   lent: chunks lent to a failed place are taken back, and a later return by that place has no effect. The memory
//   contains no addresses.
//
// Shapes   slot: word, size, kind, then 48 bytes: 64 bytes. Its word and its claim: laps begun 48 bits, writer 16.
//          A chunk's word: times lent 47 bits, borrower 16, is lent 1.
// Threads  any of the owner's process. One reads at a time; others find nothing meanwhile.
// Cost     a message: a compare-and-swap on a line that stays with a single writer, another where writers may fail, and
//          one line that moves. Memory: 150 KiB for each place; pages count after their first use.
// Source   D. Vyukov, bounded MPMC queue (the laps).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tess/detail/platform.hpp"
#include "tess/error.hpp"

namespace tess::detail {

/// The memory of one place's mailbox, which all its writers map. All zeros: empty. Processors fetch lines in pairs, so
/// what different threads write is in different pairs.
struct mailbox_memory {
  static constexpr std::uint32_t slots_count = 256;
  static constexpr std::size_t inline_bytes = 48;
  static constexpr std::uint32_t chunks_max = 32;   ///< so many fit in the caches
  static constexpr std::size_t chunk_bytes = 4096;  ///< message bytes that a chunk holds

  struct alignas(64) slot {
    std::atomic<std::uint64_t> word;
    std::uint32_t bytes;
    std::uint32_t kind;
    std::byte data[inline_bytes];
  };
  struct alignas(64) chunk {
    std::atomic<std::uint64_t> word;
    alignas(64) std::byte data[chunk_bytes];
  };

  alignas(128) std::atomic<std::uint64_t> tail;                 ///< before it all slots are claimed
  std::atomic<std::uint64_t> seen;                              ///< a recent value of `read`, for writers
  alignas(128) std::atomic<std::uint64_t> read;                 ///< before it all slots were read
  alignas(128) std::atomic<std::uint32_t> open;                 ///< the owner can read the chunks of all writers
  std::atomic<std::uint32_t> sleepers;                          ///< reading threads that sleep
  std::atomic<std::uint32_t> waking;                            ///< a writer is waking one of them
  alignas(128) std::atomic<std::uint64_t> claims[slots_count];  ///< unused where writers do not fail
  alignas(128) slot slots[slots_count];
  chunk chunks[chunks_max];  ///< messages that the owner sends
};
static_assert(sizeof(mailbox_memory::slot) == 64);

class mailbox {
 public:
  /// By place; null: not mapped here.
  using directory = std::vector<mailbox_memory*>;

  enum class kind : std::uint32_t { message, large_message, notification, malformed };

  struct received {
    place_id source = 0;
    kind what = kind::malformed;
    std::uint32_t bytes = 0;
    std::uint32_t chunk = 0;
    std::uint64_t lent = 0;            ///< the chunk's word
    std::byte const* large = nullptr;  ///< null: the bytes are in `small`
    alignas(16) std::byte small[mailbox_memory::inline_bytes];

    [[nodiscard]] std::span<std::byte const> view() const noexcept { return {large != nullptr ? large : small, bytes}; }
    /// The address in a notification.
    [[nodiscard]] std::uint64_t address() const noexcept;
  };

  /// Enters `memory`, which is all zeros, into `all`; both must outlive the mailbox. `chunk_memory`: bytes for chunks,
  /// the credit for large messages; two chunks are allowed in any case. `failed`: by place; null: writers do not fail.
  /// `one_reader`: a single thread reads.
  mailbox(directory& all, place_id owner, mailbox_memory& memory, std::uint64_t chunk_memory,
          std::atomic<bool> const* failed = nullptr, bool one_reader = false);
  mailbox(mailbox const&) = delete;
  mailbox& operator=(mailbox const&) = delete;

  /// Allows others to write here.
  void open() noexcept { memory_.open.store(1, std::memory_order_release); }
  /// From now on nobody reads here.
  void close() noexcept { memory_.open.store(0, std::memory_order_release); }
  [[nodiscard]] bool reaches(place_id to) const noexcept {
    return all_[to] != nullptr && all_[to]->open.load(std::memory_order_acquire) != 0;
  }

  /// A chunk's bytes, to be written by the caller, which sends them or gives them back; null: no credit.
  [[nodiscard]] std::byte* lend() noexcept;
  void give_back(std::byte* lent) noexcept;
  [[nodiscard]] bool lends(std::byte const* data) const noexcept {
    return chunk_of(data) != mailbox_memory::chunks_max;
  }

  // To places for which reaches() is true. False: no room; nothing was sent. Bytes in a lent chunk are not copied.
  [[nodiscard]] bool send(place_id to, std::span<std::byte const> bytes) noexcept;
  [[nodiscard]] bool notify(place_id to, std::uint64_t address) noexcept;
  /// The readers of what was just sent are asleep, and the caller is to wake one.
  [[nodiscard]] bool must_wake(place_id to) const noexcept;
  /// A place failed: chunks lent to it are taken back, and its unfinished messages are not waited for.
  void give_up(place_id failed) noexcept;

  /// Takes one out; false if there is none. done() returns the memory of a message.
  [[nodiscard]] bool pop(received& r) noexcept;
  void done(received const& r) noexcept;
  /// Before a message is handled: requests the line of the answer. What fits a slot is mostly a request, or an answer,
  /// which the next request follows.
  void prepare_answer(received const& r) const noexcept {
    if (r.what != kind::message) return;
    mailbox_memory const& there = *all_[r.source];
    prefetch_write(&there.slots[there.tail.load(std::memory_order_relaxed) % mailbox_memory::slots_count]);
  }
  [[nodiscard]] bool empty() const noexcept;
  /// Around a sleep; the sleeper calls empty() in between.
  void begin_sleep() noexcept;
  void end_sleep() noexcept;
  /// A reader woke, and will sleep on if there is nothing for it: the next writer wakes one again.
  void hear_again() noexcept { memory_.waking.store(0, std::memory_order_seq_cst); }

 private:
  using slot = mailbox_memory::slot;

  bool push(mailbox_memory& to, kind what, std::span<std::byte const> bytes) noexcept;
  void publish(mailbox_memory& to, std::uint64_t position, kind what, std::span<std::byte const> bytes) noexcept;
  [[nodiscard]] bool send_lent(place_id to, std::uint32_t chunk, std::size_t bytes) noexcept;
  [[nodiscard]] std::uint32_t chunk_of(std::byte const* data) const noexcept;
  [[nodiscard]] bool claim(mailbox_memory& to, std::uint64_t& position) noexcept;
  [[nodiscard]] bool arrived(std::uint64_t position) const noexcept;
  bool skip(std::uint64_t position) noexcept;
  void read(slot const& s, received& r) const noexcept;

  directory const& all_;
  mailbox_memory& memory_;
  std::atomic<bool> const* failed_;
  place_id owner_;
  bool one_reader_;
  std::uint32_t chunks_;
  std::atomic<std::uint32_t> being_written_{0};  ///< chunks from lend()
  std::atomic<bool> some_failed_{false};
  alignas(64) std::atomic<std::uint64_t> head_{0};
  std::atomic<bool> reading_{false};
};

}  // namespace tess::detail
