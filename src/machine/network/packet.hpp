// packet: a packet, a flit, and the pool of packets that are simulated flit by flit.
#pragma once

#include <cstdint>
#include <vector>

namespace tess::machine {

struct packet {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  std::uint32_t flits = 1;
  std::uint8_t network = 0;    ///< Virtual network.
  std::uint64_t cookie = 0;    ///< Belongs to the sender; the network only carries it.
  std::uint64_t created = 0;   ///< Cycle in which it was handed to its node.
  std::uint64_t injected = 0;  ///< Cycle in which its head left the node.
  std::uint32_t hops = 0;      ///< Links between routers that it has crossed.
};

struct flit {
  std::uint32_t packet;  ///< Index in the packet_pool.
  bool head;
  bool tail;
};

/// Packets whose flits are simulated one by one. A packet keeps its index until it is removed.
class packet_pool {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct entry : packet {
    std::uint32_t next = none;  ///< Next packet in its source queue, or next free entry.
    bool delivered = false;     ///< Its target has received it; its flits still occupy the network.
  };

  [[nodiscard]] std::uint32_t add(packet const& added, bool delivered) {
    ++size_;
    std::uint32_t taken = first_free_;
    if (taken == none) {
      taken = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      first_free_ = entries_[taken].next;
    }
    entries_[taken] = {added, none, delivered};
    return taken;
  }
  void remove(std::uint32_t index) noexcept {
    --size_;
    entries_[index].next = first_free_;
    first_free_ = index;
  }
  [[nodiscard]] entry& operator[](std::uint32_t index) noexcept { return entries_[index]; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  std::vector<entry> entries_;
  std::uint32_t first_free_ = none;
  std::uint64_t size_ = 0;
};

}  // namespace tess::machine
