// schedule: what is due in the next cycles (arriving flits and credits, finished routes), and which units are active.
//
//   Every event lies at most a few cycles ahead, so a ring with one list for each cycle holds them all. Routers and
//   nodes without work are never visited.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "machine/network/bits.hpp"
#include "machine/network/packet.hpp"
#include "machine/network/shape.hpp"

namespace tess::machine {

class schedule {
 public:
  struct flit_arrival {
    flit arrived;
    std::uint32_t link;
    std::uint8_t channel;
  };
  struct credit_arrival {
    std::uint32_t link;
    std::uint8_t channel;
  };
  /// Route computation for the packet at the front of an input channel ends with this cycle.
  struct finished_route {
    std::uint32_t router;
    std::uint8_t port;
    std::uint8_t channel;
  };
  struct cycle_events {
    std::vector<flit_arrival> flits;
    std::vector<credit_arrival> credits;
    std::vector<finished_route> routes;
  };

  explicit schedule(network_shape const& shape)
      : active_routers_((shape.layout().routers() + 63) / 64), active_nodes_((shape.layout().nodes() + 63) / 64) {
    network_parameters const& p = shape.parameters();
    std::uint32_t const over = std::max(p.link_cycles, p.between_routers_cycles());
    std::uint32_t const furthest =
        std::max({p.traversal_cycles + over + 1, over + 1 + p.credit_cycles, p.routing_cycles + 1});
    ring_.resize(std::bit_ceil(furthest + 1));
    mask_ = ring_.size() - 1;
  }

  [[nodiscard]] cycle_events& at(std::uint64_t cycle) noexcept { return ring_[cycle & mask_]; }
  // always_inline: measured, 2% of the simulator's instructions under load.
  [[gnu::always_inline]] void add(std::uint64_t cycle, flit_arrival const& event) {
    at(cycle).flits.push_back(event);
    ++pending_;
  }
  [[gnu::always_inline]] void add(std::uint64_t cycle, credit_arrival const& event) {
    at(cycle).credits.push_back(event);
    ++pending_;
  }
  [[gnu::always_inline]] void add(std::uint64_t cycle, finished_route const& event) {
    at(cycle).routes.push_back(event);
    ++pending_;
  }
  /// The caller has handled so many events of at() and removed them.
  void handled(std::size_t events) noexcept { pending_ -= events; }
  [[nodiscard]] std::uint64_t pending() const noexcept { return pending_; }
  /// The first cycle after `now` and before `end` with an event, or `end`; at most one turn of the ring after `now`.
  [[nodiscard]] std::uint64_t next_event(std::uint64_t now, std::uint64_t end) const noexcept {
    std::uint64_t cycle = now + 1;
    for (; cycle < end && cycle <= now + ring_.size(); ++cycle) {
      cycle_events const& events = ring_[cycle & mask_];
      if (!events.flits.empty() || !events.credits.empty() || !events.routes.empty()) break;
    }
    return cycle;
  }

  void activate_router(std::uint32_t router) noexcept { active_routers_[router / 64] |= bit(router); }
  void deactivate_router(std::uint32_t router) noexcept { active_routers_[router / 64] &= ~bit(router); }
  void activate_node(std::uint32_t node) noexcept { active_nodes_[node / 64] |= bit(node); }
  void deactivate_node(std::uint32_t node) noexcept { active_nodes_[node / 64] &= ~bit(node); }
  /// Calls f in ascending order; f may activate and deactivate.
  template <class F>
  void for_each_active_router(F&& f) const {
    for_each(active_routers_, f);
  }
  template <class F>
  void for_each_active_node(F&& f) const {
    for_each(active_nodes_, f);
  }
  /// A router or node is active: it has work in the next cycle.
  [[nodiscard]] bool busy() const noexcept { return any(active_routers_) || any(active_nodes_); }

  /// Moves the events and activity of another schedule of the same network into this one.
  void merge(schedule& other) {
    auto const append = [](auto& to, auto& from) {
      to.insert(to.end(), from.begin(), from.end());
      from.clear();
    };
    for (std::size_t i = 0; i < ring_.size(); ++i) {
      append(ring_[i].flits, other.ring_[i].flits);
      append(ring_[i].credits, other.ring_[i].credits);
      append(ring_[i].routes, other.ring_[i].routes);
    }
    auto const join = [](std::vector<std::uint64_t>& to, std::vector<std::uint64_t>& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] |= std::exchange(from[i], 0);
    };
    join(active_routers_, other.active_routers_);
    join(active_nodes_, other.active_nodes_);
    pending_ += std::exchange(other.pending_, 0);
  }

 private:
  static std::uint64_t bit(std::uint32_t number) noexcept { return std::uint64_t{1} << number % 64; }
  static bool any(std::vector<std::uint64_t> const& words) noexcept {
    return std::ranges::any_of(words, [](std::uint64_t word) { return word != 0; });
  }
  template <class F>
  static void for_each(std::vector<std::uint64_t> const& words, F&& f) {
    for (std::size_t i = 0; i < words.size(); ++i)
      for_each_bit(words[i], [&](std::uint32_t bit) { f(static_cast<std::uint32_t>(i * 64) + bit); });
  }

  std::vector<cycle_events> ring_;  ///< Indexed by the low bits of the cycle.
  std::uint64_t mask_ = 0;
  std::uint64_t pending_ = 0;
  std::vector<std::uint64_t> active_routers_;  ///< One bit for each.
  std::vector<std::uint64_t> active_nodes_;    ///< One bit for each.
};

}  // namespace tess::machine
