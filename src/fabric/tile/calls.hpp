// calls: handles the packets by which accelerators deliver a call with a graph, or request memory for one.
//
//   T1, from the sender's NCA: allocates memory for the copy; then the range unit drops its stale lines and triggers
//   the NMA, while the call's message is fetched from M, a cell of the sender. T2, from the NMA: the copy has arrived,
//   and the call is delivered. If the two places have different memories, the target sends the address to the sender,
//   whose T3 allocates an intermediate copy; the range unit there triggers the NMA. A request that finds its window
//   busy stays in a list: no hart waits.
//   If the system kernel runs, it does all that, and this class only delivers (src/system/graphs.hpp).
//
// Threads  any.
// Source   "NEMESYS" (MEMSYS 2019), section 3.1 and figure 3.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "fabric/fabric.hpp"
#include "fabric/graph_units.hpp"
#include "fabric/tile/post.hpp"
#include "fabric/tile/transfers.hpp"

namespace tess::detail {

class tile_calls {
 public:
  tile_calls(tile_places const& places, tile_post& post, tile_transfers& transfers)
      : places_(places), post_(post), transfers_(transfers) {}

  void serve(graph_receiver& receiver) noexcept { receiver_ = &receiver; }

  /// An incoming call until its delivery. The fields that T1 and T2 use are adjacent.
  struct alignas(tile_memory::line_bytes) incoming {
    place_id source = 0;
    std::uint64_t cell = 0;            ///< global address of M
    std::byte* bytes = nullptr;        ///< of M, in tile-local memory, or
    std::unique_ptr<std::byte[]> own;  ///< here if none was free
    std::uint64_t objects = 0;
    std::uint64_t fault = 0;
    graph_room room;
    std::atomic<int> missing{2};  ///< the message and the copy
  };
  /// T1, T2 and T3. Returns a call that is now complete, to be delivered.
  [[nodiscard]] incoming* take(tile_post::received const& r);
  /// The message of a call has arrived; a complete call is kept for deliver_arrived().
  void fetched(tile_fetch const& f);
  void deliver(incoming* call, message_sink& sink);
  /// The same of a call that the system kernel took.
  void deliver(tile_memory::arrival* call, message_sink& sink);
  /// Delivers complete calls; returns their number.
  unsigned deliver_arrived(unsigned budget, message_sink& sink) {
    unsigned delivered = 0;
    for (; delivered < budget && arrived_count_.load(std::memory_order_relaxed) != 0; ++delivered) {
      incoming* const call = next_arrived();
      if (call == nullptr) break;
      deliver(call, sink);
    }
    return delivered;
  }
  [[nodiscard]] bool none_arrived() const noexcept { return arrived_count_.load(std::memory_order_seq_cst) == 0; }

  /// Retries requests that found no free window; true: one was sent.
  bool step() { return waiting_.load(std::memory_order_relaxed) != 0 && ask_again(); }
  [[nodiscard]] bool idle() const noexcept { return waiting_.load(std::memory_order_seq_cst) == 0; }

 private:
  /// The fields of a request to an NMA, behind an invalidation of its destination.
  struct copy_request {
    std::uint64_t root;
    graph_room destination;
    std::uint64_t final_address;  ///< 0: there
    std::uint64_t objects;
    place_id source;
    place_id target;
    incoming* record;  ///< at the target
    std::uint64_t counter;
  };
  void begin_call(tile_post::received const& r);
  void begin_intermediate(tile_packet const& p);
  [[nodiscard]] incoming* copied(tile_packet const& p);
  void ask(copy_request const& wanted);
  [[nodiscard]] bool try_ask(copy_request const& wanted) const;
  [[nodiscard]] incoming* next_arrived();
  [[nodiscard]] incoming* one_less(incoming* call);
  [[nodiscard]] incoming* make_record();
  void end_record(incoming* call) noexcept;
  bool ask_again();
  void refuse(place_id source, std::uint64_t cell) const;
  void release(place_id source, std::uint64_t cell) const;
  [[nodiscard]] bool shares_memory(place_id other) const noexcept;

  tile_places const& places_;
  tile_post& post_;
  tile_transfers& transfers_;
  graph_receiver* receiver_ = nullptr;
  static constexpr unsigned records_max = 64;
  std::array<incoming, records_max> records_;
  std::atomic<std::uint64_t> records_used_{0};  ///< a bit each
  std::atomic<std::size_t> arrived_count_{0};
  std::deque<incoming*> arrived_;  ///< under the lock, as is the list below
  std::atomic<std::size_t> waiting_{0};
  std::mutex mutex_;
  std::deque<copy_request> list_;
};

}  // namespace tess::detail
