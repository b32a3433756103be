// graph_units: accelerators that copy object graphs: one near the cache of each place, one near each memory.
//
//   Operations complete by acknowledging the given completion, as those of the fabric; `result` is written before that.
//   It also reports faults; after a fault the caller copies the graph itself.
//
// Units    bytes; addresses as the place's program has them; objects of the runtime's layout
//          (tess/detail/objects/region.hpp).
// Threads  any, for the place of this process.
// Source   "NEMESYS" (MEMSYS 2019), sections 3.3 and 3.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tess/detail/tasks/completion.hpp"
#include "tess/place.hpp"

namespace tess::detail {

struct graph_size {
  std::uint64_t fault = 0;  ///< registers::graph_fault; 0: none
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;  ///< that its blocks need at most, in sequence
};

/// The copy of a graph of this place, which has been written back, to a chunk of this or another place.
struct graph_move {
  void const* root = nullptr;
  place_id target = 0;
  std::uint64_t chunk = 0;  ///< its address at the target
  std::uint64_t bytes = 0;  ///< of the chunk, with its header
  std::uint64_t first = 0;  ///< where its first block begins
  void* staging = nullptr;  ///< as many bytes here, if the target's memory is another one
  std::uint64_t objects = 0;
  bool hashed = false;  ///< the copier near memory uses a hashed map
};

/// A call with a graph of this place.
struct graph_call {
  void const* root = nullptr;
  place_id target = 0;
  std::span<std::byte const> message;  ///< at most graph_units::message_bytes_max
  std::uint64_t arrival = 0;           ///< offset in the message that the target's receiver fills in
  bool measured = false;               ///< the graph has been written back, and `size` is known
  graph_size size;
};

/// A chunk for a graph.
struct graph_room {
  void* owner = nullptr;  ///< null: there is no memory
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  ///< whole lines
  std::uint64_t first = 0;  ///< where its first block begins, a line's start
};

/// The runtime's part where graphs arrive; called inside poll(), by any thread of the place.
class graph_receiver {
 public:
  /// Memory for blocks of so many bytes.
  [[nodiscard]] virtual graph_room make(std::uint64_t bytes) noexcept = 0;
  virtual void end(void* owner) noexcept = 0;
  /// The owner of a chunk that the system gave out.
  [[nodiscard]] virtual void* adopt(graph_room const& room) noexcept = 0;
  /// The graph has arrived: writes its address into the message, which is delivered after this.
  virtual void complete(std::span<std::byte> message, std::uint64_t arrival, graph_room const& room,
                        std::uint64_t objects) noexcept = 0;

 protected:
  ~graph_receiver() = default;
};

class graph_units {
 public:
  /// From this number of objects on, the map near memory is hashed ("NEMESYS", section 5.1).
  static constexpr std::uint64_t hashed_least = 64;
  static constexpr std::uint64_t message_bytes_max = 448;

  /// Everything: writeback, memory at the target, copy, delivery. Done when nothing reads the graph any more; `result`
  /// is its size, or the fault because of which there is no call. `what` must not change until then.
  virtual void call(graph_call const& what, graph_size& result, completion& done) = 0;
  virtual void serve(graph_receiver& receiver) noexcept = 0;
  /// A system at each place gives out memory for what arrives, instead of the receiver's make().
  [[nodiscard]] virtual bool system_allocates() const noexcept = 0;
  /// It gives out this memory, in chunks of whole lines whose first block begins at `first_block`; `collects`: it uses
  /// a chunk again only when there is nothing else.
  virtual void manage(std::span<std::byte> memory, std::uint64_t first_block, bool collects) = 0;
  /// A chunk that it gave out is free.
  virtual void release(void* chunk) noexcept = 0;

  /// Graph writeback: writes the graph's lines in the caches to memory, and counts its objects and bytes.
  virtual void write_back(void const* root, graph_size& result, completion& done) = 0;
  /// Graph copy, with the pointers that are valid at the target. `what` must not change until `done`.
  virtual void copy(graph_move const& what, std::uint64_t& fault, completion& done) = 0;
  /// Ranges in the caches of this place, by the addresses that it uses: written to memory, or dropped. Done when
  /// wait_for_ranges() returns to the thread that requested them.
  virtual void write_back_range(void const* begin, std::uint64_t bytes) = 0;
  virtual void invalidate_range(void const* begin, std::uint64_t bytes) = 0;
  virtual void wait_for_ranges() = 0;
  /// Uncached memory of this place, in whole lines, that DMA of any place can access: for buffers of messages.
  [[nodiscard]] virtual std::span<std::byte> message_memory() noexcept = 0;
  /// Copies whole lines of it to that of another place by DMA; `target` is the address there.
  virtual void push(void const* source, place_id to, std::uint64_t target, std::uint64_t bytes, completion& done) = 0;
  /// The partitions of both places are in the same memory.
  [[nodiscard]] virtual bool share_memory(place_id one, place_id other) const noexcept = 0;

 protected:
  ~graph_units() = default;
};

}  // namespace tess::detail
