// fast_path: computes the arrival of a packet when it is sent, if simulating its flits would give the same cycle.
//
//   Packets affect each other only on shared links: by arbitration at a router's inputs and outputs, by buffer space,
//   and at the exit of a node. A packet is uncontended if no other packet uses a link of its path between the cycle in
//   which the packet could first request the switch and the cycle in which its last credit is back. Its arrival then
//   follows from the router's stages alone (zero_load). Its links are reserved until then, so its effect on the
//   round-robin pointers can be applied when it is sent.
//   Packets that share links only with other packets of the fast path form a batch (batch_planner).
//   Any other packet is simulated flit by flit. Packets of the fast path that share a link with it, directly or through
//   each other, are withdrawn first: the pointers return to what they were before the oldest of them was sent, and
//   these packets are simulated flit by flit up to the current cycle.
//   Speculative routers have no fast path, because batches are not exact there (seen on a mesh with look-ahead and
//   buffers of one flit).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/network/delivery.hpp"
#include "machine/network/fast_path/batch_planner.hpp"
#include "machine/network/fast_path/fast_packets.hpp"
#include "machine/network/fast_path/isolated_run.hpp"
#include "machine/network/fast_path/link_set.hpp"
#include "machine/network/fast_path/path_cache.hpp"
#include "machine/network/fast_path/zero_load.hpp"
#include "machine/network/flit_engine.hpp"

namespace tess::machine {

class fast_path {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  /// The first two must outlive this. If not enabled, every packet is simulated flit by flit.
  fast_path(flit_engine& engine, delivery& complete, bool enabled);
  fast_path(fast_path const&) = delete;
  fast_path& operator=(fast_path const&) = delete;

  /// Sends a packet that is ready in cycle `start`, by the fast path or by the engine. `received`: the arrivals of that
  /// cycle have been processed. Returns the first cycle that must be stepped for the packet.
  std::uint64_t send(packet const& sent, std::uint64_t start, bool received);
  /// Delivers the packets that arrive in this cycle.
  void receive(std::uint64_t cycle);

  /// Packets on the fast path that have not been delivered.
  [[nodiscard]] std::uint64_t in_flight() const noexcept { return in_flight_; }
  /// The cycle of the next arrival, or an earlier one: entries of withdrawn packets are not removed. `never` if none.
  [[nodiscard]] std::uint64_t next_arrival() const noexcept {
    return arrivals_.empty() ? never : arrivals_.front().cycle;
  }
  /// No packet may start before this cycle: withdrawn packets have been simulated up to it.
  [[nodiscard]] std::uint64_t replayed_until() const noexcept { return replayed_until_; }
  /// Packets of a virtual network that have not left their node entirely before this cycle.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t node, std::uint32_t network, std::uint64_t cycle) const noexcept;
  /// Flits that are already counted for this link but leave over it in this cycle or later.
  [[nodiscard]] std::uint64_t flits_ahead(std::uint32_t link, std::uint64_t cycle) const noexcept;

 private:
  using path = std::span<std::uint32_t const>;
  static constexpr std::uint32_t flits_max = 256;
  struct arrival {
    std::uint64_t cycle;
    std::uint64_t number;
  };

  [[nodiscard]] bool uncontended(path links, packet_timing const& timing, std::uint64_t start) const noexcept;
  std::uint64_t launch(packet const& sent, path links, packet_timing const& timing, std::uint64_t start);
  [[nodiscard]] std::optional<std::uint64_t> launch_in_batch(packet const& sent, path links, std::uint64_t start,
                                                             bool received);
  void apply(batch_plan const& plan);
  void add_arrival(std::uint64_t cycle, std::uint64_t number);

  void select_overlapping(path links);
  void withdraw_selected();
  void withdraw(fast_packet& one);
  void simulate_selected(std::uint64_t cycle, bool received);

  flit_engine& engine_;
  delivery& complete_;
  bool enabled_;
  path_cache paths_;
  zero_load_timings timings_;
  fast_packets packets_;
  std::uint64_t in_flight_ = 0;
  std::vector<arrival> arrivals_;        ///< A heap, earliest first. Entries of withdrawn packets are stale.
  std::vector<std::uint64_t> selected_;  ///< Numbers of the packets that are withdrawn together; ascending.
  link_set selected_links_;
  std::uint64_t replayed_until_ = 0;
  isolated_run isolation_;
  batch_planner planner_;
};

}  // namespace tess::machine
