// flit_engine: the cycle-by-cycle simulation of routers, links and node interfaces.
//
//   Wormhole switching with virtual channels and credits. In each cycle credits and flits arrive, nodes inject, routers
//   allocate and send, and route computations end. Within a cycle, routers and nodes do not see each other's work.
//
// Units     cycles of the network's clock.
// Cost      about 0.1 us for a flit and router. Nothing is allocated once the buffers have grown to their size.
// Threads   one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/kernel/arena.hpp"
#include "machine/network/delivery.hpp"
#include "machine/network/ejector.hpp"
#include "machine/network/injector.hpp"
#include "machine/network/links.hpp"
#include "machine/network/packet.hpp"
#include "machine/network/router/router.hpp"
#include "machine/network/schedule.hpp"
#include "machine/network/shape.hpp"

namespace tess::machine {

class flit_engine {
 public:
  /// `complete` must outlive this.
  flit_engine(network_parameters const& parameters, delivery& complete);
  flit_engine(flit_engine const&) = delete;
  flit_engine& operator=(flit_engine const&) = delete;

  /// Queues a packet at its source. `path`: all links from its source to its target. `delivered`: the packet is not
  /// delivered when it arrives, because it has been already.
  void enqueue(packet const& sent, bool delivered, std::span<std::uint32_t const> path);
  /// First half of a cycle: credits and flits arrive.
  void receive(std::uint64_t cycle);
  /// Second half of a cycle: nodes inject, routers allocate and send.
  void advance(std::uint64_t cycle);

  [[nodiscard]] network_shape const& shape() const noexcept { return shape_; }
  [[nodiscard]] schedule& events() noexcept { return events_; }
  [[nodiscard]] schedule const& events() const noexcept { return events_; }
  [[nodiscard]] network_links& links() noexcept { return links_; }
  [[nodiscard]] network_links const& links() const noexcept { return links_; }
  [[nodiscard]] packet_pool& packets() noexcept { return packets_; }
  [[nodiscard]] packet_pool const& packets() const noexcept { return packets_; }
  [[nodiscard]] router& router_at(std::uint32_t number) noexcept { return routers_[number]; }
  [[nodiscard]] injector& injector_at(std::uint32_t node) noexcept { return injectors_[node]; }
  [[nodiscard]] injector const& injector_at(std::uint32_t node) const noexcept { return injectors_[node]; }
  [[nodiscard]] ejector& ejector_at(std::uint32_t node) noexcept { return ejectors_[node]; }

 private:
  network_shape shape_;
  schedule events_{shape_};
  network_links links_{shape_, events_};
  packet_pool packets_;
  allocation_workspace workspace_{shape_};
  arena memory_;
  std::vector<router> routers_;
  std::vector<injector> injectors_;
  std::vector<ejector> ejectors_;
};

}  // namespace tess::machine
