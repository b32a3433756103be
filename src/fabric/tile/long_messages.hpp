// long_messages: messages larger than a packet, which wait in a chunk of tile-local memory or in memory of their own
// until the receiver has fetched them.
//
// Threads  any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <vector>

#include "fabric/tile/addresses.hpp"
#include "fabric/tile/sleepers.hpp"
#include "fabric/tile/transfers.hpp"

namespace tess::detail {

class tile_long_messages {
 public:
  /// `memory`: bytes for chunks.
  tile_long_messages(std::uint64_t memory, tile_places const& places, tile_post& post, tile_transfers& transfers)
      : chunks_(static_cast<unsigned>(
            std::clamp<std::uint64_t>(memory / tile_memory::chunk_bytes, 2, tile_memory::chunks_max))),
        places_(places),
        post_(post),
        transfers_(transfers) {
    for (auto& used : tile_memory::own().chunk_used) used.store(0, std::memory_order_relaxed);
  }

  /// False: it is too long, or no chunk is free.
  bool send_chunk(place_id target, std::span<std::byte const> bytes) {
    if (bytes.size() > tile_memory::chunk_bytes) return false;
    tile_memory& memory = tile_memory::own();
    for (unsigned i = 0; i < chunks_; ++i) {
      std::atomic<std::uint64_t>& used = memory.chunk_used[i];
      // acquire: the receiver of the chunk's last message has read it.
      if (used.load(std::memory_order_relaxed) != 0 || used.exchange(1, std::memory_order_acquire) != 0) continue;
      std::memcpy(memory.chunks[i], bytes.data(), bytes.size());
      post_.send(target, tile_packet(tile_packet_kind::chunk, bytes.size(), address_of(memory.chunks[i]), i));
      return true;
    }
    return false;
  }
  /// At the receiver: the chunk's sender may use it again.
  void release(place_id source, std::uint64_t chunk) const {
    std::uint64_t const used = address_of(&tile_memory::own().chunk_used[chunk]);
    reinterpret_cast<std::atomic<std::uint64_t>*>(places_.word(source, used))->store(0);
  }

  /// A message that fits into a chunk waits for one instead.
  [[nodiscard]] bool may_send_large(std::span<std::byte const> bytes) const noexcept {
    return bytes.size() > tile_memory::chunk_bytes && large_.load(std::memory_order_relaxed) < large_max;
  }
  /// From a copy, which is written back first.
  void send_large(place_id target, std::span<std::byte const> bytes) {
    auto* const kept = new std::vector<std::byte>(bytes.begin(), bytes.end());
    large_.fetch_add(1, std::memory_order_relaxed);
    transfers_.write_back(
        address_of(kept->data()), kept->size(), target,
        tile_packet(tile_packet_kind::large, kept->size(), address_of(kept->data()), address_of(kept)));
    tile_sleepers::call_watcher();
  }
  void fetched(std::uint64_t kept) {
    delete object_at<std::vector<std::byte>>(kept);
    large_.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  /// Large messages under way before requests are refused.
  static constexpr std::size_t large_max = 8;

  unsigned chunks_;
  tile_places const& places_;
  tile_post& post_;
  tile_transfers& transfers_;
  std::atomic<std::size_t> large_{0};
};

}  // namespace tess::detail
