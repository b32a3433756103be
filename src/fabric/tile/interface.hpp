// interface: this tile's cache-integrated network interface, where the machine has them: blocks by RDMA.
//
//   A transfer is a few commands of the hart's command buffer, from and to any tile's memory through the caches there:
//   no tile but the asking one executes an instruction, and nothing is written back before. Their acknowledgements are
//   gathered by one counter of the interface; at zero it puts the transfer's number into a queue of this tile, which
//   changes the word on which the tile's watcher sleeps. What is larger than a window goes on from there.
//   Lines with events lie in the first way of the own scratchpad; all else of the L2 stays the cache's. Where each is
//   is said here (tile_layout), for tile_lines, too.
//
// Units    bytes.
// Threads  any hart, each its own command buffer; one at a time sees to what has ended.
// Errors   a transfer that cannot be is a mistake here or of an unchecked program: asserted when it is noticed.
// Source   CNI (IJPP 2012), sections 3 and 4: RDMA with explicit acknowledgement, counters, single-reader queues.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "fabric/tile/memory.hpp"
#include "fabric/tile/places.hpp"
#include "tess/detail/completion.hpp"
#include "tess/detail/event_lines.hpp"

namespace tess::detail {

/// A block, by addresses that its two places use.
struct tile_transfer {
  place_id from = 0;
  place_id to = 0;
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint64_t bytes = 0;
  completion* local = nullptr;  ///< Of this place; null: nobody waits.
  std::uint64_t notified = 0;   ///< Global address of a completion at `to`; 0: none.

  event_units::told told = nullptr;  ///< Of the barrier, instead.
  void* whom = nullptr;
};

/// The lines of the first way that are used, and what lies in those that are plain memory.
namespace tile_layout {
constexpr std::uint64_t line_bytes = machine::registers::cni::line_bytes;
constexpr unsigned transfers_max = 64;    ///< Under way at once: a bit each.
constexpr std::uint64_t log2_items = 8;   ///< Of the two queues of this tile:
constexpr std::uint64_t ended_items = 0;  ///< numbers of transfers that have ended,
constexpr std::uint64_t answer_items = ended_items + (8U << log2_items) / line_bytes;  ///< and words with tags.
constexpr std::uint64_t answer_bytes = 16;
constexpr std::uint64_t hart_words =
    answer_items + (answer_bytes << log2_items) / line_bytes;  ///< An answer for each hart.
constexpr std::uint64_t plain_lines = hart_words + tile_memory::harts_max * answer_bytes / line_bytes;
constexpr std::uint64_t ended = plain_lines;
constexpr std::uint64_t answers = ended + 1;
constexpr std::uint64_t buffers = answers + 1;                        ///< Command buffers, one for each hart.
constexpr std::uint64_t counters = buffers + tile_memory::harts_max;  ///< One for each transfer.
constexpr std::uint64_t arrivals = counters + transfers_max;          ///< Of the barrier: a counter on the way up,
constexpr std::uint64_t releases = arrivals + 1;                      ///< and one on the way down.
constexpr std::uint64_t objects = releases + 1;                       ///< Queues for events,
constexpr unsigned objects_max = 32;
constexpr std::uint64_t log2_object_items = 6;
constexpr std::uint64_t rooms = objects + objects_max;       ///< of the room that bounded ones have,
constexpr std::uint64_t object_items = rooms + objects_max;  ///< and what waits in both.
constexpr std::uint64_t object_lines = (answer_bytes << log2_object_items) / line_bytes;
constexpr std::uint64_t end = object_items + 2 * objects_max * object_lines;
}  // namespace tile_layout

class tile_interface {
 public:
  tile_interface(tile_places const& places, bool wanted);

  /// The machine has one, a way of whose L2 has room for all lines, and it is wanted.
  [[nodiscard]] bool present() const noexcept { return base_ != 0; }
  /// Of this place, and of another one.
  [[nodiscard]] std::uint64_t line(std::uint64_t number) const noexcept {
    return base_ + tile_layout::line_bytes * number;
  }
  [[nodiscard]] std::uint64_t line(place_id at, std::uint64_t number) const noexcept {
    return first_ + places_.of(at).tile * stride_ + tile_layout::line_bytes * number;
  }
  /// Lines become what `code` says, and zero.
  static void configure(std::uint64_t address, std::uint64_t lines, machine::registers::cni::line_code code);
  /// A message out of this hart's command buffer: an item of a queue, and where it is acknowledged.
  void send(machine::registers::cni::command_code how, std::uint64_t to, std::uint64_t item,
            std::uint64_t acknowledgement) const noexcept;
  void begin(tile_transfer const& wanted);
  /// One that has ended, if one has; its waiter is for the caller to tell.
  [[nodiscard]] std::optional<tile_transfer> take_ended() {
    return under_way_.load(std::memory_order_relaxed) == 0 ? std::nullopt : look();
  }
  /// Nothing that has ended waits to be taken.
  [[nodiscard]] bool nothing_ended() const noexcept;
  /// Of the barrier of all places; its end is one of a transfer that moved nothing.
  void arrive(event_units::told told, void* whom) noexcept;

 private:
  void open();
  void open_barrier();
  [[nodiscard]] std::optional<unsigned> take_number() noexcept;
  void start(tile_transfer const& wanted, unsigned number);
  /// The next commands of a transfer.
  void send_window(unsigned number);
  /// So much of the rest one command can move.
  [[nodiscard]] std::uint64_t part_of(tile_transfer const& rest) const noexcept;
  [[nodiscard]] std::optional<tile_transfer> look();
  [[nodiscard]] std::optional<tile_transfer> go_on(unsigned number);

  struct running {
    tile_transfer whole;
    tile_transfer rest;
  };

  tile_places const& places_;
  std::uint64_t first_ = 0;  ///< Of the first tile's scratchpad.
  std::uint64_t stride_ = 0;
  std::uint64_t base_ = 0;  ///< Of the own scratchpad; 0: there is none.
  std::array<running, tile_layout::transfers_max> running_;
  tile_transfer at_barrier_;
  std::atomic<std::uint64_t> free_{~std::uint64_t{0}};
  std::atomic<std::size_t> under_way_{0};  ///< Waiting ones included.
  std::mutex mutex_;
  std::deque<tile_transfer> waiting_;
  std::atomic<bool> looking_{false};
  std::atomic<std::uint32_t> idle_looks_{0};
  std::atomic<std::uint64_t> taken_{0};  ///< Items of the queue.
};

}  // namespace tess::detail
