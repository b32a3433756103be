// aggregator: gathers small messages in one buffer per destination, and decides when a buffer is sent.
//
//   at_async messages and items of streams collect in a buffer per destination. A buffer is sent when the next message
//   does not fit, when the worker runs idle, when the deadline has passed, when an urgent message (`at`) joins it, or
//   when its memory is needed for another destination, the oldest first. Consecutive messages of one finish form a run,
//   which is counted once at either end.
//
//   The memory is bounded: the more destinations are in use, the smaller are new buffers. After a task sent a buffer,
//   it receives what arrived, and waits while there is no credit. So a task that sends requests also receives the
//   answers. Handlers never wait; what they send is bounded by what tasks have sent.
//
// Shapes   buffer: records, each an 8-byte header {handler, payload bytes} and a payload padded to 8.
//          A run starts with a record of index `run_index` whose payload is {finish key, messages in the run}.
//          Sizes are powers of two from 256 to 4096 bytes: `memory` / (2 * destinations in use), within these.
// Threads  the owning worker only.
// Cost     append: a compare, a header and the payload; a buffer: one access to the mailbox; the clock: every 4 polls.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tess/detail/tasks/out_buffer.hpp"
#include "tess/detail/tasks/scope.hpp"
#include "tess/error.hpp"

namespace tess::detail {

struct worker_state;
struct stream_key;

struct run_record {
  record_header header;
  std::uint64_t finish_key;
  std::uint64_t messages;
};

class aggregator {
 public:
  using buffer = out_buffer;

  /// Room for one at_async payload under the current task's finish; at.hpp inlines the common case.
  [[nodiscard]] std::byte* append(worker_state& w, place_id target, handler_id handler, std::size_t bytes);
  /// Room for the first item of a stream's next batch, behind `prefix`; stream.hpp inlines further items.
  [[nodiscard]] std::byte* append_item(worker_state& w, place_id target, stream_key const& stream,
                                       std::span<std::byte const> prefix, std::size_t item_bytes);
  /// Sends one request now, with everything that waits for the same destination.
  void send_now(worker_state& w, place_id target, handler_id handler, std::byte const* payload, std::size_t bytes);
  /// The worker is idle: sends everything, unless settings::flush_idle is off. What the fabric refuses stays in the
  /// backlog.
  void flush_idle(worker_state& w) noexcept;
  /// Sends the buffers whose deadline has passed.
  void flush_late(worker_state& w) noexcept;
  /// Nothing waits to be sent.
  [[nodiscard]] bool empty() const noexcept { return active_.empty() && backlog_.empty(); }
  /// Bytes of all buffers: open, spare and in the backlog.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_; }

  aggregator() = default;
  aggregator(aggregator const&) = delete;
  aggregator& operator=(aggregator const&) = delete;
  ~aggregator();

 private:
  struct free_buffer {
    aggregator* owner;
    void operator()(buffer* b) const noexcept;
  };
  using owned_buffer = std::unique_ptr<buffer, free_buffer>;

  buffer& open(worker_state& w, place_id target, std::size_t bytes);
  buffer& open_run(worker_state& w, place_id target, std::size_t bytes);
  void prepare(worker_state& w);
  [[nodiscard]] std::size_t capacity_for(std::size_t bytes) const noexcept;
  void make_room(worker_state& w, std::size_t capacity);
  [[nodiscard]] bool has_room(std::size_t capacity) const noexcept;
  void shrink(worker_state& w, std::size_t capacity) noexcept;
  [[nodiscard]] owned_buffer make_buffer(std::size_t capacity);
  static void return_lent(worker_state const& w, buffer& b) noexcept;

  void start_run(buffer& b, finish_scope* scope);
  void close_items(buffer& b) noexcept;
  void close_run(buffer& b);
  void write_run(buffer& b, finish_scope& scope);
  void after_sending(worker_state& w);
  void wait_for_credit(worker_state& w, std::size_t capacity);
  void dispatch(worker_state& w, owned_buffer b) noexcept;
  void try_dispatch(worker_state& w, owned_buffer& b);
  bool transmit(worker_state& w, place_id target, std::span<std::byte const> bytes);
  void retry_backlog(worker_state& w) noexcept;

  [[nodiscard]] owned_buffer take_open(worker_state& w, place_id target, flush_reason reason) noexcept;

  std::size_t held_ = 0;          ///< bytes of all buffers; declared first, because freeing a buffer changes it
  std::vector<buffer*> open_;     ///< by destination; worker::outgoing_open points here
  std::vector<place_id> active_;  ///< destinations with an open buffer, in the order of opening
  std::vector<owned_buffer> spare_;
  std::vector<owned_buffer> backlog_;                       ///< refused by the fabric, in no order
  std::size_t memory_ = 0;                                  ///< limit of held_, which messages of handlers may exceed
  std::uint16_t generation_ = 0;                            ///< half deadlines that have passed
  std::chrono::steady_clock::time_point generation_end_{};  ///< when the next one has
};

}  // namespace tess::detail
