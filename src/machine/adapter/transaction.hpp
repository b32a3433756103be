// transaction: one remote operation, from the adapter that issues it to its home and back.
//
//   Its issuer owns it and keeps it in place until it is done. Packets carry its address. Data to be written is in it
//   from the call of issue(); data that was read is in it when it is done.
//
// Units     bytes. Addresses are global.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "machine/cache/line_right.hpp"
#include "machine/isa/atomic.hpp"
#include "machine/kernel/event.hpp"
#include "tess/machine/registers.hpp"

namespace tess::machine {

enum class remote_operation : std::uint8_t {
  read,          ///< `bytes` of data.
  write,         ///< `bytes` of data.
  atomic,        ///< `word` on 4 or 8 bytes; the old value is returned in `operand`.
  compare_swap,  ///< Stores `operand` if the word equals `expected`; the old value is returned in `operand`.
  invoke,        ///< Puts `data` into the task queue.
  trigger,       ///< Puts `data` into the queue of the memory's accelerator.
  transfer,      ///< A DMA transfer: `bytes` from `address` to `destination`, run by the source's adapter.
  probe,         ///< From a directory to a cache: keep at most `right` of the line.
  unblock,       ///< From a cache to a directory: the line has arrived. It has no answer.
  copy_back,     ///< From an owner to a directory: what it has given to a reader. It has no answer.
};

enum class remote_outcome : std::uint8_t {
  pending,
  done,
  refused,    ///< A queue is full; the adapter tries again by itself.
  wrong,      ///< No such address, or the operation is not allowed there.
  passed_on,  ///< By a directory: another part, `serving` of the tile `target`, answers the requester.
};

/// The part of the target tile that serves a request.
enum class served_by : std::uint8_t {
  home,    ///< The home of the address.
  owner,   ///< The cache that owns the line, for a directory.
  memory,  ///< The memory, for a directory of another tile.
};

/// A word or a command of a hart or a unit.
struct word_access {};

/// A line of a cache, on the way to or from its home, or a directory's probe of it. A home may need lines to answer
/// words, so lines have slots of their own.
struct line_access {
  line_right right = line_right::none;  ///< Wanted, then granted; of a line that is written back: the right that stays.
  bool held = false;                    ///< The cache may read the line already, and wants to write it.
  // With a forwarding directory.
  bool dirty = false;             ///< It comes from an owner that had written it: memory has older bytes.
  bool superseded = false;        ///< A request for the line that is written back is on its way to the cache.
  std::uint32_t to_expect = 0;    ///< Caches that acknowledge their invalidation to the requester.
  std::uint64_t number = 0;       ///< The request's among those of its cache.
  event* acknowledged = nullptr;  ///< The requester's: happens for each of these caches.
};

/// A DMA transfer, run by the adapter of its source.
struct dma_transfer {
  std::uint64_t destination = 0;
  std::uint32_t destination_tile = 0;
  bool notifies = false;  ///< The destination learns of the transfer's end.
};

/// Data of a DMA transfer.
struct dma_packet {
  bool is_end = false;  ///< No data: all of them have been written.
};

/// A message of a cache-integrated network interface (src/machine/cni), or a store that a hart posts through it.
/// Answered by the third virtual network.
struct cni_message {
  bool is_job = false;            ///< From the list of jobs: it takes no slot of the clients.
  bool is_short = false;          ///< It goes with the requests, not with the data of copies; a word goes to its home.
  bool no_retry = false;          ///< It ends if a queue refuses it.
  bool jobs_full = false;         ///< Refused by a full list of jobs, not by a queue: it is sent again.
  std::uint64_t destination = 0;  ///< For a copy that the target tile is asked to run.
  std::uint64_t acknowledgement = 0;  ///< Where the number of bytes goes when they have been written; null: nowhere.
  registers::cni::fault fault = registers::cni::fault::none;  ///< Why it is wrong, if the home knows.
};

struct transaction : event {
  static constexpr std::size_t data_max = 64;

  transaction() : event(nullptr) {}

  remote_operation what = remote_operation::read;
  atomic_operation word = atomic_operation::swap;
  remote_outcome status = remote_outcome::pending;
  std::uint32_t source = 0;  ///< Tile; set by issue().
  std::uint32_t target = 0;  ///< Tile: the home of the address.
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
  std::array<std::byte, data_max> data{};
  event* done = nullptr;  ///< Happens, without the calendar, at the end.
  served_by serving = served_by::home;
  std::uint64_t about = 0;  ///< From a forwarding directory to a cache: the number of the request that got it the line.

  /// Which subsystem issued it, with what only that subsystem's transactions carry.
  std::variant<word_access, line_access, dma_transfer, dma_packet, cni_message> part;

  // The adapters' own.
  class adapter* via = nullptr;
  picoseconds issued = 0;
  std::uint32_t refusals = 0;        ///< Consecutive refusals without a change at the home:
  std::uint64_t changes_before = 0;  ///< the home's change count at the first of them.

  [[nodiscard]] line_access* line() noexcept { return std::get_if<line_access>(&part); }
  [[nodiscard]] line_access const* line() const noexcept { return std::get_if<line_access>(&part); }
  [[nodiscard]] dma_transfer const* transfer() const noexcept { return std::get_if<dma_transfer>(&part); }
  [[nodiscard]] dma_packet const* dma() const noexcept { return std::get_if<dma_packet>(&part); }
  [[nodiscard]] cni_message* cni() noexcept { return std::get_if<cni_message>(&part); }
  [[nodiscard]] cni_message const* cni() const noexcept { return std::get_if<cni_message>(&part); }

  /// Wanted or granted right to a line; none for what is not an access of a cache.
  [[nodiscard]] line_right right() const noexcept {
    line_access const* const of_cache = line();
    return of_cache == nullptr ? line_right::none : of_cache->right;
  }
  /// Refused by a queue, and not to be sent again.
  [[nodiscard]] bool is_refused_for_good() const noexcept {
    cni_message const* const message = cni();
    return message != nullptr && message->no_retry && !message->jobs_full && status == remote_outcome::refused;
  }
};

/// Applies `word` to the 4 or 8 bytes at `at` and returns the old value; 4 bytes are sign-extended as in the A
/// extension.
std::uint64_t apply(atomic_operation word, std::byte* at, std::uint64_t bytes, std::uint64_t operand) noexcept;
std::uint64_t apply_compare_swap(std::byte* at, std::uint64_t bytes, std::uint64_t expected,
                                 std::uint64_t operand) noexcept;

}  // namespace tess::machine
