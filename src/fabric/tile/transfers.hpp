// transfers: the DMA of a place, which fetches or pushes, and its write-back of ranges: one command of each at a time.
//
//   A fetch brings whole lines into a buffer of the tile-local memory, piece by piece, and copies them through the
//   caches to their target, so the target needs no range operation. The source does: its caches must be written back
//   before DMA reads memory (write_back), unless it is in tile-local memory.
//
// Threads  any; one at a time progresses transfers, the others return.
#pragma once

#include <deque>
#include <mutex>
#include <optional>

#include "fabric/tile/memory.hpp"
#include "fabric/tile/post.hpp"
#include "tess/detail/tasks/completion.hpp"

namespace tess::detail {

/// A fetch of another place's bytes. `what`, `a`, `b` and `requester` belong to the caller.
struct tile_fetch {
  static constexpr unsigned no_buffer = tile_memory::dma_buffers;

  tile_packet_kind what = tile_packet_kind::small;
  place_id source = 0;
  std::uint64_t address = 0;    ///< that the source's program uses
  std::byte* target = nullptr;  ///< null: they stay in the buffer, if they fit
  std::byte* lines = nullptr;   ///< instead: whole lines of tile-local memory
  std::uint64_t bytes = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  place_id requester = 0;
  std::uint64_t asked = 0;                 ///< bytes of the pieces that have begun
  unsigned buffer = no_buffer;             ///< at the end, without a target
  std::byte const* received_at = nullptr;  ///< position in it
};

/// A push of whole lines from the own tile-local memory to another tile's.
struct tile_push {
  void const* source = nullptr;
  std::uint64_t target = 0;  ///< global
  std::uint64_t bytes = 0;
  completion* done = nullptr;
};

class tile_transfers {
 public:
  tile_transfers(tile_places const& places, tile_post& post);

  void fetch(tile_fetch const& wanted);
  void push(tile_push const& wanted);
  /// Sends `then` when [address, address + bytes) of the own memory has been written back.
  void write_back(std::uint64_t address, std::uint64_t bytes, place_id to, tile_packet const& then);

  /// Progresses both; returns a fetch that has ended, if any. Sets `moved` if anything happened, `ended` if a push has
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
    std::uint64_t skipped;  ///< bytes of its first line before it
    std::uint64_t offset;   ///< in its fetch
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
  std::mutex mutex_;  ///< guards the lists of new ones
  std::deque<range> new_ranges_;
  std::deque<tile_fetch> new_fetches_;
  std::deque<tile_push> new_pushes_;
  // Used by the hart that progresses transfers:
  std::atomic<bool> stepping_{false};
  std::deque<range> ranges_;
  std::deque<tile_fetch> fetches_;
  bool range_runs_ = false;
  std::deque<tile_push> pushes_;
  std::optional<piece> fetching_;  ///< the DMA under way: a piece of a fetch
  completion* pushing_ = nullptr;  ///< or a push
  bool pushed_last_ = false;
  unsigned next_copied_ = 0;
};

}  // namespace tess::detail
