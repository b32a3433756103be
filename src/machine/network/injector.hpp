// injector: the sending half of a node's network interface: queues of packets that enter the network flit by flit.
//
//   One queue for each virtual network. In each cycle at most one flit leaves, from the queue of the highest
//   priority that can send; equal priorities take turns (round robin).
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "machine/kernel/arena.hpp"
#include "machine/network/bits.hpp"
#include "machine/network/links.hpp"
#include "machine/network/packet.hpp"
#include "machine/network/schedule.hpp"
#include "machine/network/shape.hpp"

namespace tess::machine {

class injector {
 public:
  static constexpr std::uint8_t no_channel = 0xff;

  /// All references must outlive this.
  injector(network_shape const& shape, std::uint32_t node, network_links& links, schedule& events, packet_pool& packets,
           arena& memory);
  injector(injector&&) = default;

  /// Adds a packet of the pool to the queue of its virtual network.
  void enqueue(std::uint32_t index);
  /// Packets that are queued, including one that has left only in part.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t network) const noexcept { return queues_[network].length; }
  void receive_credit(std::uint32_t channel) noexcept {
    ++credits_[channel];
    credited_ |= 1U << channel;
  }
  /// Sends one flit, if one can leave.
  void step(std::uint64_t cycle);

  /// For the fast path: the effect of an uncontended packet on the round-robin pointers, with what undoes it.
  struct uncontended_pass {
    std::uint32_t next_queue;
    std::uint8_t last_channel;
    std::uint8_t channel;  ///< The channel that the packet leaves by.
  };
  uncontended_pass pass_uncontended(std::uint32_t network) noexcept {
    queue& from = queues_[network];
    uncontended_pass const passed{next_queue_, from.last_channel, choose_channel(network)};
    from.last_channel = passed.channel;
    next_queue_ = network + 1 == queues_.size() ? 0 : network + 1;
    return passed;
  }
  void undo(uncontended_pass const& passed, std::uint32_t network) noexcept {
    queues_[network].last_channel = passed.last_channel;
    next_queue_ = passed.next_queue;
  }
  /// Calls f with every round-robin pointer.
  template <class F>
  void for_each_pointer(F&& f) {
    f(next_queue_);
    for (queue& each : queues_) f(each.last_channel);
  }

 private:
  struct queue {
    std::uint32_t first = packet_pool::none;
    std::uint32_t last = packet_pool::none;
    std::uint32_t length = 0;
    std::uint32_t flits_left = 0;  ///< Flits of the first packet that have not left; 0: none of it has left.
    std::uint8_t channel = 0;      ///< Channel of the first packet, once its head has left.
    std::uint8_t last_channel = no_channel;
  };

  /// A free channel with a credit for the next packet of this virtual network, or no_channel.
  [[nodiscard]] std::uint8_t choose_channel(std::uint32_t network) const noexcept {
    std::uint32_t const possible = shape_.allowed_channels(network, channel_half::all) & free_ & credited_;
    if (possible == 0) return no_channel;
    std::uint8_t const last = queues_[network].last_channel;
    return static_cast<std::uint8_t>(round_robin(possible, last == no_channel ? 0 : (last + 1U) % 32));
  }
  [[nodiscard]] std::uint32_t most_urgent(std::uint32_t queues) const noexcept;
  bool send_flit(std::uint32_t network, std::uint64_t cycle);

  network_shape const& shape_;
  network_links& links_;
  schedule& events_;
  packet_pool& packets_;
  std::uint32_t node_;
  std::uint32_t link_;
  std::uint32_t free_;      ///< Channels of the router's input that no packet of this node holds.
  std::uint32_t credited_;  ///< Channels with at least one credit.
  std::uint32_t next_queue_ = 0;
  std::uint8_t* credits_;    ///< [channel]
  std::span<queue> queues_;  ///< [virtual network]
};

}  // namespace tess::machine
