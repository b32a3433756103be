// graph_units: the accelerators of a machine that has them: one near the cache of a place, one near each memory.
//
//   Operations are issued here and complete by acknowledging the given completion, as those of the fabric; `result` is
//   written before. What went wrong is in the result, too: then the caller copies the graph itself.
//
// Units    bytes; addresses as the place's program has them; objects of the runtime's layout (tess/detail/region.hpp).
// Threads  any, for the place of this process.
// Source   "NEMESYS" (MEMSYS 2019), sections 3.3 and 3.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tess/detail/completion.hpp"
#include "tess/place.hpp"

namespace tess::detail {

struct graph_size {
  std::uint64_t fault = 0;  ///< registers::graph_fault; 0: none
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;  ///< that its blocks need at most, one behind the other
};

/// A graph of this place, of which memory has everything, into a chunk of another place or this one.
struct graph_move {
  void const* root = nullptr;
  place_id target = 0;
  std::uint64_t chunk = 0;  ///< its address at the target
  std::uint64_t bytes = 0;  ///< of the chunk, with what stands before its first block
  std::uint64_t first = 0;  ///< where its first block begins
  void* staging = nullptr;  ///< so many bytes here, if the target has another memory behind it
  std::uint64_t objects = 0;
  bool hashed = false;  ///< the map of the copier near memory
};

/// A call with a graph of this place.
struct graph_call {
  void const* root = nullptr;
  place_id target = 0;
  std::span<std::byte const> message;  ///< at most graph_units::message_bytes_max, of which the place of the graph is
  std::uint64_t arrival = 0;           ///< filled in here by the target's receiver
  bool measured = false;               ///< memory has everything already, and `size` says how much that is
  graph_size size;
};

/// A chunk for a graph.
struct graph_room {
  void* owner = nullptr;  ///< null: there is no memory
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  ///< whole lines
  std::uint64_t first = 0;  ///< where its first block begins, a line's start
};

/// What the runtime does where graphs arrive, as part of poll(). Threads: any of the place.
class graph_receiver {
 public:
  /// Memory for blocks of so many bytes.
  [[nodiscard]] virtual graph_room make(std::uint64_t bytes) noexcept = 0;
  virtual void end(void* owner) noexcept = 0;
  /// The graph is there: its message is told where, and delivered after this.
  virtual void complete(std::span<std::byte> message, std::uint64_t arrival, graph_room const& room,
                        std::uint64_t objects) noexcept = 0;

 protected:
  ~graph_receiver() = default;
};

class graph_units {
 public:
  /// From so many objects on the map near memory is hashed ("NEMESYS", section 5.1).
  static constexpr std::uint64_t hashed_least = 64;
  static constexpr std::uint64_t message_bytes_max = 448;

  /// The whole way: writeback, memory at the target, copy, delivery. Done when nothing of it reads the graph any more;
  /// `result` says how large it is, or why there is no call. Until then `what` must stay as it is.
  virtual void call(graph_call const& what, graph_size& result, completion& done) = 0;
  virtual void serve(graph_receiver& receiver) noexcept = 0;

  /// Graph writeback: brings what the caches hold of the graph to memory, and counts it.
  virtual void write_back(void const* root, graph_size& result, completion& done) = 0;
  /// Graph copy, with pointers that are final at the target. `fault` is written, and nothing else that tells of it;
  /// until then `what` stays.
  virtual void copy(graph_move const& what, std::uint64_t& fault, completion& done) = 0;
  /// Ranges, of any place's memory as this place names it; done when settle() returns, by the thread that asked.
  /// bring: what the caches of this place hold of it goes to memory. forget: they hold nothing of it any more.
  virtual void bring(void const* begin, std::uint64_t bytes) = 0;
  virtual void forget(void const* begin, std::uint64_t bytes) = 0;
  virtual void settle() = 0;
  /// Memory of this place, whole lines, that DMA of any place reaches past all caches: for buffers of messages.
  [[nodiscard]] virtual std::span<std::byte> message_memory() noexcept = 0;
  /// So many whole lines of it go to that of another place by DMA; `target` is what that place calls its address.
  virtual void push(void const* source, place_id to, std::uint64_t target, std::uint64_t bytes, completion& done) = 0;
  /// Both places have the same memory behind them.
  [[nodiscard]] virtual bool share_memory(place_id one, place_id other) const noexcept = 0;

 protected:
  ~graph_units() = default;
};

}  // namespace tess::detail
