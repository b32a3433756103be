// aggregator: small messages gathered per destination, and when they leave.
//
//   at_async messages collect in a buffer per destination; it leaves when it is full, when the worker runs idle, at
//   every 64th poll, or when an urgent message (`at`) joins it. Consecutive messages of one finish form a run, which is
//   counted once at either end.
//
// Shapes   buffer: records, each an 8-byte header {handler, payload bytes} and a payload padded to 8.
//          A run starts with a record of index `run_index` whose payload is {finish key, messages in the run}.
// Threads  the owning worker only.
// Cost     append: a compare, a header and the payload. Memory: one buffer per destination in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tess/detail/out_buffer.hpp"
#include "tess/detail/scope.hpp"
#include "tess/error.hpp"

namespace tess::detail {

struct worker_state;

struct run_record {
  record_header header;
  std::uint64_t finish_key;
  std::uint64_t messages;
};

class aggregator {
 public:
  using buffer = out_buffer;

  /// Room for one at_async payload under the current task's finish; the common case is inlined (out_buffer.hpp).
  [[nodiscard]] std::byte* append(worker_state& w, place_id target, handler_id handler, std::size_t bytes);
  /// Sends one request now, with whatever waits for the same destination.
  void send_now(worker_state& w, place_id target, handler_id handler, std::byte const* payload, std::size_t bytes);
  /// Sends everything that was gathered. What the fabric refuses stays in the backlog.
  void flush(worker_state& w) noexcept;
  /// Nothing waits to be sent.
  [[nodiscard]] bool empty() const noexcept { return active_.empty() && backlog_.empty(); }

  aggregator() = default;
  aggregator(aggregator const&) = delete;
  aggregator& operator=(aggregator const&) = delete;
  ~aggregator();

 private:
  buffer& open(worker_state& w, place_id target, std::size_t bytes);
  void start_run(buffer& b, finish_scope* scope);
  void close_run(buffer& b);
  void write_run(buffer& b, finish_scope const& scope);
  void wait_for_credit(worker_state& w);
  void dispatch(worker_state& w, std::unique_ptr<buffer> b) noexcept;
  void try_dispatch(worker_state& w, std::unique_ptr<buffer>& b);
  bool transmit(worker_state& w, place_id target, std::span<std::byte const> bytes);
  void retry_backlog(worker_state& w) noexcept;

  [[nodiscard]] std::unique_ptr<buffer> take_open(worker_state& w, place_id target) noexcept;

  std::vector<buffer*> open_;     ///< by destination; worker::outgoing_open points here
  std::vector<place_id> active_;  ///< destinations with an open buffer
  std::vector<std::unique_ptr<buffer>> spare_;
  std::vector<std::unique_ptr<buffer>> backlog_;  ///< refused by the fabric, in no order
};

}  // namespace tess::detail
