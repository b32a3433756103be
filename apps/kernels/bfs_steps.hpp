// bfs_steps: one level at one place: expands its part of the frontier downwards, or searches parents upwards.
//
//   A child of another place is sent there once, recorded in `sent`. Packets are only collected in the owner's inbox;
//   its task claims them after the exchange that ends the level. A place can be one level ahead of another, so there
//   are
//   two inboxes, and packets name theirs.
//
// Shapes    parents, queue: [own vertices]; now, next, sent: bitmaps of all vertices in words of 64.
// Threads   with several workers a large level is shared by as many tasks: claims are atomic then, and plain otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/packet.hpp"
#include "kernels/bfs.hpp"

namespace kernels {

inline constexpr std::uint64_t word_bits = 64;

using parent_packet = graph::packet<parent_edge>;

struct bfs_state {
  // Filled once by prepare().
  graph::graph_part part;
  std::uint64_t words = 0;  // of the own part of a bitmap
  vertex* parents = nullptr;
  vertex* queue = nullptr;

  // The current level is queue[level_begin, level_end); vertices found now are appended.
  std::uint64_t level_begin = 0;
  std::uint64_t level_end = 0;
  std::uint64_t level_edges = 0;
  std::uint64_t tail = 0;
  std::uint64_t found_edges = 0;

  std::vector<std::vector<parent_packet>> open;        // [worker][place]
  std::vector<std::atomic<std::uint32_t>> packets_to;  // [place]
  std::atomic<std::uint64_t> pairs{0};                 // sent by any means

  unsigned half = 0;  // the inbox of the current level
  std::vector<parent_edge> inbox[2];
  tess::counter arrived[2];  // packets

  bfs_result result;
  std::vector<std::uint64_t> level_begins;  // in queue, if levels are kept

  void prepare(graph::graph_part const& p, std::span<vertex> own_parents, std::span<vertex> own_queue);
  void claim_pairs(std::span<parent_edge const> pairs_here) noexcept;
  void claim_inbox() noexcept;
  [[nodiscard]] bfs_front present() const noexcept { return {level_end - level_begin, level_edges}; }
  [[nodiscard]] bfs_front found() const noexcept { return {tail - level_end, found_edges}; }
  // The level found becomes the current one.
  void advance() noexcept;
};

struct bfs_bitmaps {
  std::uint64_t* now;
  std::uint64_t* next;
  std::uint64_t* sent;
  std::uint64_t own_begin;  // word of the first own vertex
};

// Expands the current level; full packets for other places are sent, the rest stays in `open`.
tess::task<void> expand(tess::place_local<bfs_state> state, graph::distributed_graph const& g, bfs_bitmaps maps);
// Sends the remaining items for place p: in the report if they fit, else in packets.
void hand_out(tess::place_local<bfs_state> state, unsigned p, bfs_report& report);

// One level upwards over the own vertices; writes the own words of `next`.
tess::task<bfs_front> look_up(bfs_state& state, bfs_bitmaps maps);

// Converts the current level into the own words of `now` and back.
void queue_to_bitmap(bfs_state const& state, bfs_bitmaps maps) noexcept;
void bitmap_to_queue(bfs_state& state, bfs_bitmaps maps) noexcept;
// Appends own vertices of a bitmap to the queue, which has room for all own vertices; each is appended once.
void append_to_queue(bfs_state& state, std::uint64_t const* bitmap, std::uint64_t own_begin) noexcept;

tess::task<void> forget(bfs_state& state, bfs_bitmaps maps, std::uint64_t all_words);

}  // namespace kernels
