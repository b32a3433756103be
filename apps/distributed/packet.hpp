// packet: combines small items in one message; each destination has one packet, which is sent when it is full.
//
//   A message per item would cost its header and a dispatch for every 4 or 8 bytes.
//
// Units     items; a packet is at most 1,928 bytes, two of them to a buffer of the runtime.
// Threads   a packer belongs to one task. Sending may run handlers of other messages meanwhile.
// Cost      memory for one packet per destination.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tess/tess.hpp"

namespace graph {

template <class Item, std::uint32_t Capacity = 1920 / sizeof(Item)>
struct packet {
  static_assert(std::is_trivially_copyable_v<Item>);
  static constexpr std::uint32_t capacity = Capacity;

  std::uint32_t count = 0;
  Item items[capacity];

  [[nodiscard]] std::span<Item const> view() const noexcept { return {items, count}; }
};

// Send: (destination, packet const&), which sends it.
template <class Item, class Send>
class packer {
 public:
  packer(unsigned destinations, Send send) : open_(destinations), send_(std::move(send)) {}

  void add(tess::place_id destination, Item const& item) {
    packet<Item>& p = open_[destination];
    p.items[p.count++] = item;
    if (p.count == packet<Item>::capacity) leave(destination);
  }

  void flush() {
    for (unsigned d = 0; d < open_.size(); ++d)
      if (open_[d].count != 0) leave(static_cast<tess::place_id>(d));
  }

 private:
  void leave(tess::place_id destination) {
    send_(destination, open_[destination]);
    open_[destination].count = 0;
  }

  std::vector<packet<Item>> open_;
  Send send_;
};

}  // namespace graph
