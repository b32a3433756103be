// post: sends packets to other tiles, and takes packets out of the own task queue, or of the system kernel's mailbox.
//
//   Each hart sends by its own window. If that is busy, because the target's queue is full or the packet before has not
//   arrived, the packet goes to a list, which the next polling hart continues: no hart waits.
//
// Threads  any.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "fabric/tile/packet.hpp"
#include "fabric/tile/places.hpp"

namespace tess::detail {

class tile_post {
 public:
  explicit tile_post(tile_places const& places) : places_(places) {}

  void send(place_id to, tile_packet const& packet);
  /// Sends waiting packets, as far as the window of this hart is free.
  void go_on() {
    if (waiting_.load(std::memory_order_relaxed) != 0) send_waiting();
  }
  /// The number of waiting packets.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.load(std::memory_order_seq_cst); }

  struct received {
    place_id source;
    tile_packet packet;
  };
  [[nodiscard]] std::optional<received> take() const noexcept;
  [[nodiscard]] static bool queue_empty() noexcept;

 private:
  struct waiting_packet {
    place_id to;
    tile_packet packet;
  };
  void send_waiting();
  [[nodiscard]] bool try_send(place_id to, tile_packet const& packet) const noexcept;

  tile_places const& places_;
  std::atomic<std::size_t> waiting_{0};
  std::mutex mutex_;
  std::deque<waiting_packet> list_;
};

}  // namespace tess::detail
