// tile_calls: what a place does when accelerators bring it a call, and when they want memory for one.
//
//   T1, a message of the sender's NCA: memory is made for the copy; then the range unit drops its stale lines and
//   triggers the NMA, while the call's message is fetched from M, a cell of the sender's. T2, a message of the NMA: the
//   copy is there, and the call is delivered. If the two places have different memories, the target passes the address
//   on to the sender, whose T3 makes memory for an intermediate copy; its range unit triggers the NMA there.
//   Nobody waits: what finds a window busy stays in a list.
//
// Threads  any.
// Source   "NEMESYS" (MEMSYS 2019), section 3.1 and figure 3.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include "fabric/graph_units.hpp"
#include "fabric/tile_inbox.hpp"
#include "fabric/tile_post.hpp"

namespace tess::detail {

class tile_calls {
 public:
  tile_calls(tile_places const& places, tile_post& post, tile_transfers& transfers, tile_inbox& inbox)
      : places_(places), post_(post), transfers_(transfers), inbox_(inbox) {}

  void serve(graph_receiver& receiver) noexcept { receiver_ = &receiver; }

  /// T1, T2 and T3.
  void take(tile_post::received const& r);
  /// The message of a call has come.
  void fetched(tile_fetch const& f);

  /// Asks for what found no window before; true: for something.
  bool step();
  [[nodiscard]] bool idle() const noexcept { return waiting_.load(std::memory_order_seq_cst) == 0; }

 private:
  /// A call that comes, until it is delivered.
  struct incoming {
    place_id source = 0;
    std::uint64_t cell = 0;  ///< M, as everybody names it
    std::uint64_t objects = 0;
    std::uint64_t fault = 0;
    graph_room room;
    std::vector<std::byte> bytes;  ///< of M
    std::atomic<int> missing{2};   ///< the message and the copy
  };
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
  void copied(tile_packet const& p);
  void ask(copy_request const& wanted);
  [[nodiscard]] bool try_ask(copy_request const& wanted) const;
  void one_less(incoming* call);
  void refuse(incoming const& call) const;
  void release(incoming const& call) const;
  [[nodiscard]] bool shares_memory(place_id other) const noexcept;

  tile_places const& places_;
  tile_post& post_;
  tile_transfers& transfers_;
  tile_inbox& inbox_;
  graph_receiver* receiver_ = nullptr;
  std::atomic<std::size_t> waiting_{0};
  std::mutex mutex_;
  std::deque<copy_request> list_;
};

}  // namespace tess::detail
