// transfers: the two commands that a place has under way: a DMA that fetches or pushes, and a range that is
// written back.
//
//   A fetch brings whole lines into a landing of the tile-local memory, piece by piece, and copies them from there,
//   through the caches, to where they belong; so the target needs no range operation. The source does: what its caches
//   hold must be in memory before DMA reads it (write_back), unless it lies in tile-local memory.
//
// Threads  any; one at a time moves things on, the others pass.
#pragma once

#include <deque>
#include <mutex>
#include <optional>

#include "fabric/tile/memory.hpp"
#include "fabric/tile/post.hpp"
#include "tess/detail/completion.hpp"

namespace tess::detail {

/// Bytes of another place. `what` and the words after it are for who asked.
struct tile_fetch {
  static constexpr unsigned no_buffer = tile_memory::dma_buffers;

  tile_packet_kind what = tile_packet_kind::small;
  place_id source = 0;
  std::uint64_t address = 0;    ///< As the source's program names it.
  std::byte* target = nullptr;  ///< Null: they stay in the buffer, if they fit.
  std::byte* lines = nullptr;   ///< Instead: whole lines of the tile-local memory for whole lines of the source.
  std::uint64_t bytes = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  place_id requester = 0;
  std::uint64_t asked = 0;                 ///< Bytes of the pieces that have begun.
  unsigned buffer = no_buffer;             ///< At the end, of one without target;
  std::byte const* received_at = nullptr;  ///< and where in it.
};

/// Whole lines from the own tile-local memory to another one's.
struct tile_push {
  void const* source = nullptr;
  std::uint64_t target = 0;  ///< As everybody names it.
  std::uint64_t bytes = 0;
  completion* done = nullptr;
};

class tile_transfers {
 public:
  tile_transfers(tile_places const& places, tile_post& post);

  void fetch(tile_fetch const& wanted);
  void push(tile_push const& wanted);
  /// When the own memory [address, address + bytes) is what its caches hold, `then` is sent.
  void write_back(std::uint64_t address, std::uint64_t bytes, place_id to, tile_packet const& then);

  /// Moves both on. A fetch that has ended, if one has; `moved` is set if anything happened, `ended` if a push has
  /// ended.
  [[nodiscard]] std::optional<tile_fetch> step(bool& moved, bool& ended) {
    if (under_way_.load(std::memory_order_relaxed) == 0) return std::nullopt;
    return step_some(moved, ended);
  }
  [[nodiscard]] bool idle() const noexcept { return under_way_.load(std::memory_order_seq_cst) == 0; }
  static void free_buffer(unsigned buffer) noexcept;

 private:
  struct range {
    std::uint64_t address;
    std::uint64_t bytes;
    place_id to;
    tile_packet then;
  };
  struct piece {
    unsigned buffer;        ///< tile_fetch::no_buffer: the target itself
    std::uint64_t skipped;  ///< Bytes of its first line before it.
    std::uint64_t offset;   ///< In its fetch.
    std::uint64_t bytes;
  };

  std::optional<tile_fetch> step_some(bool& moved, bool& ended);
  bool step_range();
  std::optional<tile_fetch> step_dma(bool& moved, bool& ended);
  void begin_dma(bool& moved);
  bool begin_piece(tile_fetch& of);
  [[nodiscard]] std::optional<unsigned> take_buffer(bool copied) noexcept;
  void take_in();
  void note_new() noexcept;

  tile_places const& places_;
  tile_post& post_;
  std::atomic<std::size_t> under_way_{0};
  std::atomic<bool> has_new_{false};
  std::mutex mutex_;  ///< Of the lists of what is new.
  std::deque<range> new_ranges_;
  std::deque<tile_fetch> new_fetches_;
  std::deque<tile_push> new_pushes_;
  // Of who moves things on:
  std::atomic<bool> stepping_{false};
  std::deque<range> ranges_;
  std::deque<tile_fetch> fetches_;
  bool range_runs_ = false;
  std::deque<tile_push> pushes_;
  std::optional<piece> fetching_;  ///< The DMA that is under way: a piece of a fetch,
  completion* pushing_ = nullptr;  ///< or a push.
  bool pushed_last_ = false;
  unsigned next_copied_ = 0;
};

}  // namespace tess::detail
