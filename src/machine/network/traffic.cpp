// traffic: creates packets by drawing the time to the next one, so that idle nodes cost nothing.
#include "machine/network/traffic.hpp"

#include <algorithm>
#include <cmath>

#include "machine/kernel/assert.hpp"
#include "machine/kernel/splitmix.hpp"

namespace tess::machine {
namespace {

/// One generator for each node, seeded by the node's number.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() noexcept { return next_random(state_); }
  /// In (0, 1].
  double fraction() noexcept { return static_cast<double>((next() >> 11U) + 1) * 0x1p-53; }
  std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>((next() >> 32U) * bound >> 32U);
  }

 private:
  std::uint64_t state_;
};

std::uint32_t target_of(traffic_pattern pattern, network_parameters const& network, std::uint32_t node,
                        generator& random) {
  std::uint32_t const x = node % network.width;
  std::uint32_t const y = node / network.width;
  switch (pattern) {
    case traffic_pattern::uniform:
      return random.below(network.nodes());
    case traffic_pattern::transpose:
      return x * network.width + y;  // only for square networks
    case traffic_pattern::bit_complement:
      return network.nodes() - 1 - node;
    case traffic_pattern::tornado: {
      auto const across = [](std::uint32_t at, std::uint32_t size) { return (at + (size + 1) / 2 - 1) % size; };
      return across(y, network.height) * network.width + across(x, network.width);
    }
    case traffic_pattern::neighbour:
      return (y + 1) % network.height * network.width + (x + 1) % network.width;
    case traffic_pattern::hotspot:
      return random.below(4) == 0 ? 0 : random.below(network.nodes());
  }
  MACHINE_ASSERT(false);
}

class run {
 public:
  run(network_parameters const& network, traffic const& load)
      : load_(load), network_(network, [this](packet const& whole, std::uint64_t cycle) { arrived(whole, cycle); }) {
    for (std::uint32_t node = 0; node < network.nodes(); ++node) {
      random_.emplace_back(load.seed * 1'000'003 + node);
      next_.push_back(gap(random_.back()));
    }
  }

  traffic_result result() {
    std::uint64_t const end = load_.warm_up_cycles + load_.measured_cycles;
    std::uint64_t cycle = 0;
    // The load continues while measured packets are in flight, so that they do not see an emptying network.
    for (; cycle < end || outstanding_ > 0; ++cycle) {
      create(cycle, end);
      network_.step(cycle);
      if (cycle % 1024 == 0 && hopeless(cycle)) {
        result_.saturated = true;
        break;
      }
    }
    auto const packets = static_cast<double>(result_.packets);
    result_.latency = latency_sum_ / packets;
    result_.network_latency = network_latency_sum_ / packets;
    result_.hops = static_cast<double>(hops_) / packets;
    result_.accepted_rate = static_cast<double>(accepted_) / static_cast<double>(load_.measured_cycles) /
                            static_cast<double>(network_.layout().nodes());
    result_.cycles = cycle;
    result_.saturated = result_.saturated || result_.latency > load_.latency_max;
    return result_;
  }

 private:
  std::uint64_t gap(generator& random) const {
    double const probability = load_.rate / load_.flits;
    if (probability >= 1) return 0;
    return static_cast<std::uint64_t>(std::log(random.fraction()) / std::log1p(-probability));
  }

  [[nodiscard]] bool measured(packet const& one) const noexcept {
    return one.created >= load_.warm_up_cycles && one.created < load_.warm_up_cycles + load_.measured_cycles;
  }

  void create(std::uint64_t cycle, std::uint64_t end) {
    if (cycle < earliest_) return;
    earliest_ = ~std::uint64_t{0};
    for (std::uint32_t node = 0; node < next_.size(); ++node) {
      if (next_[node] == cycle) {
        packet created;
        created.source = node;
        created.target = target_of(load_.pattern, network_.parameters(), node, random_[node]);
        created.flits = load_.flits;
        created.created = cycle;
        if (measured(created) && cycle < end) ++outstanding_;
        network_.send(created);
        next_[node] = cycle + 1 + gap(random_[node]);
      }
      earliest_ = std::min(earliest_, next_[node]);
    }
  }

  void arrived(packet const& whole, std::uint64_t cycle) {
    if (cycle >= load_.warm_up_cycles && cycle < load_.warm_up_cycles + load_.measured_cycles) accepted_ += whole.flits;
    if (!measured(whole)) return;
    --outstanding_;
    ++result_.packets;
    hops_ += whole.hops;
    latency_sum_ += static_cast<double>(cycle - whole.created);
    network_latency_sum_ += static_cast<double>(cycle - whole.injected);
  }

  /// More flits are queued than could leave with a latency below the limit.
  [[nodiscard]] bool hopeless(std::uint64_t cycle) const noexcept {
    double const waiting = static_cast<double>(network_.packets_inside() * load_.flits);
    return cycle > load_.warm_up_cycles + load_.measured_cycles &&
           waiting > 4 * load_.latency_max * load_.rate * static_cast<double>(network_.layout().nodes());
  }

  traffic load_;
  flit_network network_;
  std::vector<generator> random_;
  std::vector<std::uint64_t> next_;  ///< Cycle in which a node creates its next packet.
  std::uint64_t earliest_ = 0;
  std::uint64_t outstanding_ = 0;
  std::uint64_t accepted_ = 0;
  std::uint64_t hops_ = 0;
  double latency_sum_ = 0;
  double network_latency_sum_ = 0;
  traffic_result result_;
};

}  // namespace

traffic_result measure(network_parameters const& network, traffic const& load) {
  return run(network, load).result();
}

}  // namespace tess::machine
