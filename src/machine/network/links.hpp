// links: all links of a network: they carry flits forward and credits back, and count what uses them.
//
//   A flit or credit arrives a fixed number of cycles after it was sent. So a link needs no queue: the arrival goes
//   straight into the schedule.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/network/crossing_log.hpp"
#include "machine/network/packet.hpp"
#include "machine/network/schedule.hpp"
#include "machine/network/shape.hpp"

namespace tess::machine {

class network_links {
 public:
  /// Both must outlive this.
  network_links(network_shape const& shape, schedule& events) : events_(events), states_(shape.links()) {
    network_parameters const& p = shape.parameters();
    for (std::uint32_t link = 0; link < shape.links(); ++link) {
      link_ends const& ends = shape.ends(link);
      std::uint32_t const over = ends.from_node || ends.to_node ? p.link_cycles : p.between_routers_cycles();
      states_[link].flit_cycles = (ends.from_node ? 0 : p.traversal_cycles) + over + 1;
      states_[link].credit_cycles = over + 1 + (ends.from_node ? 0 : p.credit_cycles);
    }
  }

  /// A flit leaves its router or node in this cycle.
  void send(std::uint32_t link, flit const& sent, std::uint8_t channel, std::uint64_t cycle) {
    link_state& state = states_[link];
    ++state.flits;
    ++state.unreturned;
    events_.add(cycle + state.flit_cycles, schedule::flit_arrival{sent, link, channel});
    if (log_ != nullptr) [[unlikely]]
      log_->flit_left(sent, link, cycle);
  }
  /// A flit that arrived over this link leaves its buffer in this cycle: a credit goes back.
  [[gnu::always_inline]] void return_credit(std::uint32_t link, std::uint8_t channel, std::uint64_t cycle) {
    std::uint64_t const arrival = cycle + states_[link].credit_cycles;
    events_.add(arrival, schedule::credit_arrival{link, channel});
    if (log_ != nullptr) [[unlikely]]
      log_->credit_returned(link, arrival);
  }
  void credit_arrived(std::uint32_t link) noexcept { --states_[link].unreturned; }

  /// A packet that is simulated flit by flit has this link on its path, and its tail has not left over it.
  void add_packet(std::uint32_t link) noexcept { ++states_[link].packets; }
  void remove_packet(std::uint32_t link) noexcept { --states_[link].packets; }
  /// A packet that is simulated flit by flit has yet to leave over this link, or a credit has yet to return.
  [[nodiscard]] bool in_use(std::uint32_t link) const noexcept {
    return (states_[link].packets | states_[link].unreturned) != 0;
  }

  /// Packets of the fast path use the link until this cycle.
  void reserve(std::uint32_t link, std::uint64_t until) noexcept { states_[link].reserved_until = until; }
  [[nodiscard]] std::uint64_t reserved_until(std::uint32_t link) const noexcept { return states_[link].reserved_until; }

  /// Flits that have left over the link. The fast path counts the flits of its packets in advance.
  [[nodiscard]] std::uint64_t flits(std::uint32_t link) const noexcept { return states_[link].flits; }
  void count_flits(std::uint32_t link, std::uint32_t flits) noexcept { states_[link].flits += flits; }
  void uncount_flits(std::uint32_t link, std::uint32_t flits) noexcept { states_[link].flits -= flits; }

  /// Records every crossing from now on; nullptr stops the recording.
  void record(crossing_log* log) noexcept { log_ = log; }

 private:
  struct link_state {
    std::uint64_t reserved_until = 0;
    std::uint64_t flits = 0;
    std::uint32_t packets = 0;
    std::uint32_t unreturned = 0;     ///< Flits whose credit has not returned.
    std::uint32_t flit_cycles = 0;    ///< From when a flit is sent until it arrives.
    std::uint32_t credit_cycles = 0;  ///< From when a flit leaves the buffer until its credit can be used.
  };

  schedule& events_;
  std::vector<link_state> states_;
  crossing_log* log_ = nullptr;
};

}  // namespace tess::machine
