// aggregator: small messages gathered per destination, and when they leave.
//
//   at_async messages collect in a buffer per destination; it leaves when it is full, when the worker runs idle, at
//   every 64th poll, or when an urgent message (`at`) joins it. Consecutive messages of one finish form a run, which is
//   counted once at either end.
//
// Shapes   buffer: records, each an 8-byte header {handler index, flags, payload bytes} and a payload padded to 8.
//          A run starts with a record of index `run_index` whose payload is {finish key, messages in the run}.
// Threads  the owning worker only.
// Cost     append: a compare, a header and the payload. Memory: one buffer per destination in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tess/detail/scope.hpp"
#include "tess/error.hpp"

namespace tess::detail {

struct worker_state;

struct record_header {
  std::uint16_t index;
  std::uint16_t unused;
  std::uint32_t bytes;
};
inline constexpr std::uint16_t run_index = 0xffff;

struct run_record {
  record_header header;
  std::uint64_t finish_key;
  std::uint64_t messages;
};

[[nodiscard]] constexpr std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + 7) & ~std::size_t{7};
}

class aggregator {
 public:
  static constexpr std::size_t buffer_bytes = 4096;

  /// Room for one at_async payload under the current task's finish.
  [[nodiscard]] std::byte* append(worker_state& w, place_id target, std::uint16_t index, std::size_t bytes);
  /// Sends one request now, with whatever waits for the same destination.
  void send_now(worker_state& w, place_id target, std::uint16_t index, std::byte const* payload, std::size_t bytes);
  /// Sends everything that was gathered. What the fabric refuses stays in the backlog.
  void flush(worker_state& w);
  /// Nothing waits to be sent.
  [[nodiscard]] bool empty() const noexcept { return active_.empty() && backlog_.empty(); }

 private:
  struct buffer {
    std::size_t used = 0;
    run_record* run = nullptr;  ///< the open run, in `data`
    finish_scope* scope = nullptr;
    place_id target = 0;
    alignas(16) std::byte data[buffer_bytes];
  };

  buffer& open(worker_state& w, place_id target, std::size_t bytes);
  void start_run(buffer& b, finish_scope* scope);
  void close_run(buffer& b);
  void dispatch(worker_state& w, std::unique_ptr<buffer> b);
  bool transmit(worker_state& w, buffer& b);
  void retry_backlog(worker_state& w);

  std::vector<std::unique_ptr<buffer>> open_;  ///< by destination
  std::vector<place_id> active_;               ///< destinations whose open_ is not empty
  std::vector<std::unique_ptr<buffer>> spare_;
  std::vector<std::unique_ptr<buffer>> backlog_;  ///< refused by the fabric, in no order
};

}  // namespace tess::detail
