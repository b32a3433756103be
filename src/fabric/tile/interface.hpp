// interface: this tile's cache-integrated network interface, where the machine has one: blocks by RDMA.
//
//   A transfer is a few commands of the hart's command buffer, from and to any tile's memory through the caches there:
//   only the requesting tile executes instructions, and nothing is written back first. One counter of the interface
//   counts their acknowledgements; at zero it puts the transfer's number into a queue of this tile, which changes the
//   word on which the tile's watcher sleeps. Transfers larger than a window continue from there.
//   Lines with events are in the first way of the own scratchpad; the rest of the L2 remains cache. tile_layout has
//   their positions, also for tile_lines.
//
// Units    bytes.
// Threads  any hart, each with its own command buffer; one at a time handles transfers that have ended.
// Errors   an impossible transfer is a bug, here or in an unchecked program: asserted on detection.
// Source   CNI (IJPP 2012), sections 3 and 4: RDMA with explicit acknowledgement, counters, single-reader queues.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "fabric/tile/memory.hpp"
#include "fabric/tile/places.hpp"
#include "tess/detail/events/event_lines.hpp"
#include "tess/detail/tasks/completion.hpp"

namespace tess::detail {

/// A block, by addresses that its two places use.
struct tile_transfer {
  place_id from = 0;
  place_id to = 0;
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint64_t bytes = 0;
  completion* local = nullptr;  ///< of this place; null: nobody waits
  std::uint64_t notified = 0;   ///< global address of a completion at `to`; 0: none

  event_units::callback callback = nullptr;  ///< of the barrier, instead
  void* context = nullptr;
};

/// The lines used of the first way, and the contents of those that are plain memory.
namespace tile_layout {
constexpr std::uint64_t line_bytes = machine::registers::cni::line_bytes;
constexpr unsigned transfers_max = 64;    ///< Under way at once: a bit each.
constexpr std::uint64_t log2_items = 8;   ///< Size of the two queues of this tile:
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
constexpr std::uint64_t arrivals = counters + transfers_max;          ///< For the barrier: a counter on the way up,
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
  /// The address of a line of this place, and of another one.
  [[nodiscard]] std::uint64_t line(std::uint64_t number) const noexcept {
    return base_ + tile_layout::line_bytes * number;
  }
  [[nodiscard]] std::uint64_t line(place_id at, std::uint64_t number) const noexcept {
    return first_ + places_.of(at).tile * stride_ + tile_layout::line_bytes * number;
  }
  /// Makes the lines what `code` says, and zero.
  static void configure(std::uint64_t address, std::uint64_t lines, machine::registers::cni::line_code code);
  /// Sends an item to a queue, from this hart's command buffer, with the address of its acknowledgement.
  void send(machine::registers::cni::command_code how, std::uint64_t to, std::uint64_t item,
            std::uint64_t acknowledgement) const noexcept;
  void begin(tile_transfer const& wanted);
  /// A transfer that has ended, if any; the caller notifies its waiter.
  [[nodiscard]] std::optional<tile_transfer> take_ended() {
    return under_way_.load(std::memory_order_relaxed) == 0 ? std::nullopt : look();
  }
  /// No transfer that has ended waits to be taken.
  [[nodiscard]] bool nothing_ended() const noexcept;
  /// Arrives at the barrier of all places; its end is that of a transfer of no bytes.
  void arrive(event_units::callback callback, void* context) noexcept;

 private:
  void open();
  void open_barrier();
  [[nodiscard]] std::optional<unsigned> take_number() noexcept;
  void start(tile_transfer const& wanted, unsigned number);
  /// Sends the next commands of a transfer.
  void send_window(unsigned number);
  /// The bytes of the rest that one command can move.
  [[nodiscard]] std::uint64_t part_of(tile_transfer const& rest) const noexcept;
  [[nodiscard]] std::optional<tile_transfer> look();
  [[nodiscard]] std::optional<tile_transfer> go_on(unsigned number);

  struct running {
    tile_transfer whole;
    tile_transfer rest;
  };

  tile_places const& places_;
  std::uint64_t first_ = 0;  ///< of the first tile's scratchpad
  std::uint64_t stride_ = 0;
  std::uint64_t base_ = 0;  ///< of the own scratchpad; 0: there is none
  std::array<running, tile_layout::transfers_max> running_;
  tile_transfer at_barrier_;
  std::atomic<std::uint64_t> free_{~std::uint64_t{0}};
  std::atomic<std::size_t> under_way_{0};  ///< including those that wait
  std::mutex mutex_;
  std::deque<tile_transfer> waiting_;
  std::atomic<bool> looking_{false};
  std::atomic<std::uint32_t> idle_looks_{0};
  std::atomic<std::uint64_t> taken_{0};  ///< items of the queue
};

}  // namespace tess::detail
