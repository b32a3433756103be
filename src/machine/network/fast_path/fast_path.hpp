// fast_path: computes a packet's arrival when it is sent, instead of moving its flits, where the result is the same.
//
//   Packets meet at links only: at a router's inputs and outputs, in buffers with credits, and on the way out of a
//   node. A packet is uncontended if no other uses any link of its path between the cycle in which a switch could be
//   requested for it and the one in which its last credit is back. Then its arrival follows from the stages of the
//   routers (zero_load), and its effect on the routers' round-robin pointers is applied when it is sent: its links are
//   reserved until then. Packets that meet only other packets of the fast path form a batch (batch_planner). A packet
//   that fits neither is simulated flit by flit. It first withdraws the packets of the fast path whose links it uses,
//   and those that share a link with one of these: the pointers become what they were before the first of them was
//   sent, and they are simulated from there to now. Routers that speculate have no fast path: batches are not exact
//   there (mesh, look-ahead, buffers of one flit).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/network/delivery.hpp"
#include "machine/network/fast_path/batch_planner.hpp"
#include "machine/network/fast_path/express_packets.hpp"
#include "machine/network/fast_path/isolated_run.hpp"
#include "machine/network/fast_path/link_set.hpp"
#include "machine/network/fast_path/path_cache.hpp"
#include "machine/network/fast_path/zero_load.hpp"
#include "machine/network/flit_engine.hpp"

namespace tess::machine {

class fast_path {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  /// Both must outlive this. If not enabled, every packet is simulated flit by flit.
  fast_path(flit_engine& engine, delivery& complete, bool enabled);
  fast_path(fast_path const&) = delete;
  fast_path& operator=(fast_path const&) = delete;

  /// Sends a packet that is ready in cycle `start`, by the fast path or by the engine. `received`: the flits that
  /// arrive in this cycle have done so. Returns the first cycle that must be stepped for it.
  std::uint64_t send(packet const& sent, std::uint64_t start, bool received);
  /// Delivers the packets that arrive in this cycle.
  void receive(std::uint64_t cycle);

  /// Packets on the fast path that have not been delivered.
  [[nodiscard]] std::uint64_t in_flight() const noexcept { return in_flight_; }
  /// The cycle of the next arrival, or an earlier one in which nothing happens; never: there is none.
  [[nodiscard]] std::uint64_t next_arrival() const noexcept {
    return arrivals_.empty() ? never : arrivals_.front().cycle;
  }
  /// No packet may start before this cycle: others have been simulated up to it.
  [[nodiscard]] std::uint64_t replayed_until() const noexcept { return replayed_until_; }
  /// Packets that have not left their node entirely before this cycle.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t node, std::uint32_t network, std::uint64_t cycle) const noexcept;
  /// Flits that are counted for this link already and cross it in this cycle or later.
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
  void withdraw(express_packet& one);
  void simulate_selected(std::uint64_t cycle, bool received);

  flit_engine& engine_;
  delivery& complete_;
  bool enabled_;
  path_cache paths_;
  zero_load_timings timings_;
  express_packets packets_;
  std::uint64_t in_flight_ = 0;
  std::vector<arrival> arrivals_;        ///< A heap, earliest first. Those of withdrawn packets are stale.
  std::vector<std::uint64_t> selected_;  ///< Numbers of the packets that are withdrawn together, ascending.
  link_set selected_links_;
  std::uint64_t replayed_until_ = 0;
  isolated_run isolation_;
  batch_planner planner_;
};

}  // namespace tess::machine
