// graphs: commands to the accelerators for object graphs, and their results.
//
//   The NCA traverses one graph of the tile at a time, so commands to it go through one window in sequence. The NMA
//   queues requests, each with its own counter. A command without a free window or counter stays in a list, which the
//   next poll continues: no hart waits here.
//
// Threads  any; one at a time progresses commands, the others return.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "fabric/graph_units.hpp"
#include "fabric/tile/calls.hpp"
#include "fabric/tile/memory.hpp"
#include "fabric/tile/places.hpp"
#include "fabric/tile/transfers.hpp"

namespace tess::detail {

class tile_graphs final : public graph_units {
 public:
  tile_graphs(tile_places const& places, tile_post& post, tile_transfers& transfers, tile_calls& calls)
      : places_(places), post_(post), transfers_(transfers), calls_(calls) {}

  void call(graph_call const& what, graph_size& result, completion& done) override;
  void serve(graph_receiver& receiver) noexcept override;
  [[nodiscard]] bool system_allocates() const noexcept override;
  void manage(std::span<std::byte> memory, std::uint64_t first_block, bool collects) override;
  void release(void* chunk) noexcept override;
  void write_back(void const* root, graph_size& result, completion& done) override;
  void copy(graph_move const& what, std::uint64_t& fault, completion& done) override;
  void write_back_range(void const* begin, std::uint64_t bytes) override;
  void invalidate_range(void const* begin, std::uint64_t bytes) override;
  void wait_for_ranges() override;
  [[nodiscard]] std::span<std::byte> message_memory() noexcept override;
  void push(void const* source, place_id to, std::uint64_t target, std::uint64_t bytes, completion& done) override;
  [[nodiscard]] bool share_memory(place_id one, place_id other) const noexcept override;

  /// Progresses all commands; true if anything happened.
  bool step() { return under_way_.load(std::memory_order_relaxed) != 0 && step_some(); }
  [[nodiscard]] bool idle() const noexcept { return under_way_.load(std::memory_order_seq_cst) == 0; }

 private:
  /// Copied between lists; the pointers are the caller's until the end.
  struct job {
    void const* root = nullptr;  ///< of a writeback
    graph_call const* call = nullptr;
    graph_move const* move = nullptr;
    graph_size* size = nullptr;      ///< of a writeback or a call
    std::uint64_t* fault = nullptr;  ///< of a copy
    completion* done = nullptr;
    unsigned cell = 0;
    [[nodiscard]] bool measured() const noexcept { return call != nullptr && call->measured; }
  };
  void add(job const& wanted);
  bool step_some();
  void take_in();
  bool end_some();
  bool begin_some();
  [[nodiscard]] bool begin(job& next);
  [[nodiscard]] std::optional<unsigned> free_cell() const noexcept;
  [[nodiscard]] static bool has_ended(job const& of) noexcept;
  void end(job const& of, std::uint64_t fault) const;
  void write_message(job const& of) const;
  void store_message(job const& of) const;
  [[nodiscard]] std::uint64_t message_there(job const& of) const;
  [[nodiscard]] tile_packet first_packet(job const& of) const;
  void ask_nca(job const& of) const;
  void ask_nma(job const& of) const;

  tile_places const& places_;
  tile_post& post_;
  tile_transfers& transfers_;
  tile_calls& calls_;
  graph_receiver* receiver_ = nullptr;
  std::atomic<std::size_t> under_way_{0};
  std::atomic<bool> has_new_{false};
  std::mutex mutex_;  ///< guards the list of new ones
  std::deque<job> new_;
  // Used by the hart that progresses commands:
  std::atomic<bool> stepping_{false};
  std::deque<job> waiting_;
  std::vector<job> running_;
  unsigned cells_used_ = 0;  ///< a bit each
};

}  // namespace tess::detail
