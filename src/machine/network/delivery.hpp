// delivery: hands complete packets to the user of the network; within a cycle, in the order of their targets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "machine/network/packet.hpp"

namespace tess::machine {

using deliver_function = std::function<void(packet const&, std::uint64_t cycle)>;

class delivery {
 public:
  explicit delivery(deliver_function deliver) : deliver_(std::move(deliver)) {}

  /// Packets are collected between begin() and end(), and delivered at once at any other time.
  void begin() noexcept { collecting_ = true; }
  void add(packet const& complete, std::uint64_t cycle) {
    if (collecting_) return complete_.push_back(complete);
    deliver_(complete, cycle);
  }
  void end(std::uint64_t cycle) {
    collecting_ = false;
    if (complete_.empty()) return;
    delivering_ = true;
    if (complete_.size() > 1) std::ranges::sort(complete_, {}, &packet::target);
    for (packet const& each : complete_) deliver_(each, cycle);
    complete_.clear();
    delivering_ = false;
  }
  /// True while end() delivers. A packet that is sent then leaves in the same cycle.
  [[nodiscard]] bool delivering() const noexcept { return delivering_; }

 private:
  deliver_function deliver_;
  bool collecting_ = false;
  bool delivering_ = false;
  std::vector<packet> complete_;
};

}  // namespace tess::machine
