// fast_packets: the packets of the fast path in the order in which they were sent, and how to undo their effects.
//
//   A packet is kept until it and all older packets have settled. Until then a later packet may share a link with it,
//   and it may have to be withdrawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "machine/network/fast_path/zero_load.hpp"
#include "machine/network/injector.hpp"
#include "machine/network/packet.hpp"
#include "machine/network/router/router.hpp"

namespace tess::machine {

struct fast_packet {
  packet carried;
  packet_timing const* timing = nullptr;
  std::uint64_t start = 0;  ///< Cycle in which it was ready to leave its node.
  std::vector<std::uint32_t> path;
  bool delivered = false;
  bool withdrawn = false;  ///< It left the fast path: it is simulated flit by flit.

  // The effect of an uncontended packet on the round-robin pointers.
  injector::uncontended_pass injection{};
  std::vector<router::uncontended_pass> passes;  ///< [router on its path]; empty in a batch.
  // For a batch, its first packet has the pointers of all its links from before the batch.
  std::uint64_t batch = 0;        ///< Number of the first packet of its batch; its own if it is alone.
  std::u16string batch_pointers;  ///< Empty in all but the first packet.
  std::vector<std::uint32_t> batch_links;
  std::uint32_t batch_channels = 0;
};

/// A ring of packets by number. References are valid until the next add().
class fast_packets {
 public:
  [[nodiscard]] fast_packet& operator[](std::uint64_t number) noexcept { return ring_[number & (ring_.size() - 1)]; }
  [[nodiscard]] fast_packet const& operator[](std::uint64_t number) const noexcept {
    return ring_[number & (ring_.size() - 1)];
  }
  /// The kept packets have the numbers from first() to before end().
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] bool empty() const noexcept { return first_ == end_; }

  fast_packet& add(packet const& sent, std::uint64_t start, std::span<std::uint32_t const> path) {
    if (end_ - first_ == ring_.size()) grow();
    fast_packet& added = (*this)[end_];
    added.carried = sent;
    added.start = start;
    added.path.assign(path.begin(), path.end());
    added.delivered = added.withdrawn = false;
    added.passes.clear();
    added.batch = end_++;
    added.batch_pointers.clear();
    return added;
  }
  void remove_last() noexcept { --end_; }
  /// Removes the oldest packets if they have settled before this cycle or were withdrawn. Pointers can be restored only
  /// in reverse order, so a packet is kept while an older one is.
  void retire(std::uint64_t cycle) noexcept {
    for (; first_ != end_; ++first_) {
      fast_packet const& oldest = (*this)[first_];
      if (!oldest.withdrawn && oldest.start + oldest.timing->settled > cycle) return;
    }
  }

 private:
  void grow() {
    std::vector<fast_packet> larger(ring_.size() * 2);
    for (std::uint64_t i = first_; i < end_; ++i) larger[i & (larger.size() - 1)] = std::move((*this)[i]);
    ring_ = std::move(larger);
  }

  std::vector<fast_packet> ring_ = std::vector<fast_packet>(16);
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace tess::machine
